"""The same 24 choices of four people between two medicines, written as other tools write them: `python make.py`.

The files are kept beside this script, so that the tests read what is written here once and for all.
"""

from pathlib import Path

import numpy as np
import openpyxl
import pandas

HERE = Path(__file__).parent
SIDES, FEATURES = ("A", "B"), ("cost", "efficacy")
PEOPLE, TASKS = ("ann", "bea", "cem", "dora"), 6


def answers() -> pandas.DataFrame:
    """A row for each question: who, which, the cost and efficacy of both medicines, and the chosen one."""
    random = np.random.default_rng(5)
    table = pandas.DataFrame(
        {"person": np.repeat(PEOPLE, TASKS), "task": np.tile(np.arange(1, TASKS + 1), len(PEOPLE))}
    )
    for side in SIDES:
        table[f"cost {side}"] = random.integers(2, 30, len(table)) / 2
        table[f"efficacy {side}"] = random.integers(40, 95, len(table))
    better = table["efficacy A"] - table["efficacy B"] + table["cost B"] - table["cost A"]
    table["chosen"] = np.where(better + random.normal(0, 5, len(table)) > 0, *SIDES)
    return table


def named(table: pandas.DataFrame, pattern: str) -> dict[str, pandas.Series]:
    """The features of both sides, in columns called by a pattern."""
    return {
        pattern.format(side=side, lower=side.lower(), number=place, feature=feature): table[f"{feature} {side}"]
        for place, side in enumerate(SIDES, 1)
        for feature in FEATURES
    }


def long(table: pandas.DataFrame) -> pandas.DataFrame:
    """A row for each alternative."""
    parts = [
        pandas.DataFrame(
            {
                "person": table["person"], "task": table["task"], "number": place,
                "chosen": (table["chosen"] == side) * 1,
                "cost": table[f"cost {side}"], "efficacy": table[f"efficacy {side}"],
            }
        )
        for place, side in enumerate(SIDES, 1)
    ]  # fmt: skip
    return pandas.concat(parts).sort_values(["person", "task", "number"], kind="stable").reset_index(drop=True)


def write(folder: Path = HERE) -> None:
    table = answers()
    codes = table["chosen"].map({"A": 1, "B": 2})

    def save(name: str, content: dict, **options) -> None:
        pandas.DataFrame(content).to_csv(folder / name, index=False, **options)

    left = {f"left.{feature}": table[f"{feature} A"] for feature in FEATURES}
    right = {f"right.{feature}": table[f"{feature} B"] for feature in FEATURES}
    side = table["chosen"].map({"A": "left", "B": "right"})
    save("pairs.csv", {"agent": table["person"], **left, **right, "choice": side})
    words = "choice" + codes.astype(str)
    save("unnamed.csv", {"id": table["person"], **named(table, "{feature}{number}"), "choice": words})
    first = table["chosen"] == "A"
    preferred = {f"chosen_{name}": np.where(first, table[f"{name} A"], table[f"{name} B"]) for name in FEATURES}
    rejected = {f"rejected_{name}": np.where(first, table[f"{name} B"], table[f"{name} A"]) for name in FEATURES}
    save("preferred.csv", {"person": table["person"], **preferred, **rejected})
    german = {
        "Person": table["person"],
        **named(table, "Präparat {side}: {feature}"),
        "Antwort": "Präparat " + table["chosen"],
    }
    text = pandas.DataFrame(german).to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
    (folder / "excel.csv").write_bytes(f"sep=;\r\n{text}".encode("cp1252"))
    text = pandas.DataFrame(german).to_csv(index=False, sep="\t", lineterminator="\r\n")
    (folder / "unicode.txt").write_bytes(text.encode("utf-16"))
    save(
        "biogeme.csv",
        {"ID": table["person"], **named(table, "{side}_{feature}"), "A_AV": 1, "B_AV": 1, "CHOICE": codes},
    )
    save("apollo.csv", {
        "ID": table["person"], **named(table, "{feature}_{lower}"), "cost_c": 0, "efficacy_c": 0, "av_a": 1, "av_b": 1,
        "av_c": 0, "choice": codes,
    })  # fmt: skip
    rows = long(table)
    number = {name: place for place, name in enumerate(PEOPLE, 1)}
    obs = (rows["person"].map(number) - 1) * TASKS + rows["task"]
    save("cbctools.csv", {
        "profileID": np.arange(len(rows)) * 7 % 31, "respID": rows["person"], "qID": rows["task"],
        "altID": rows["number"],
        "obsID": obs, "cost": rows["cost"], "efficacy": rows["efficacy"], "choice": rows["chosen"],
    })  # fmt: skip
    save("projoint.csv", {
        "id": rows["person"], "task": rows["task"], "profile": rows["number"], "selected": rows["chosen"],
        "cost": rows["cost"], "efficacy": rows["efficacy"],
    })  # fmt: skip
    save("conjointly.csv", {
        "PARTICIPANT": rows["person"], "QES": rows["task"], "ALT": rows["number"], "CHOICE": rows["chosen"],
        "cost": rows["cost"], "efficacy": rows["efficacy"],
    })  # fmt: skip
    qualtrics(table, folder)
    workbook(table, folder)
    r_data(table, folder)


def qualtrics(table: pandas.DataFrame, folder: Path) -> None:
    rows = []
    for person, own in table.groupby("person", sort=False):
        row = {"StartDate": "2026-01-01", "ResponseId": person}
        for _, task in own.iterrows():
            row[f"choice{task['task']}"] = f"Medicine {task['chosen']}"
            for attribute, feature in enumerate(FEATURES, 1):
                row[f"K-{task['task']}-{attribute}"] = feature
                row |= {f"K-{task['task']}-{p}-{attribute}": task[f"{feature} {s}"] for p, s in enumerate(SIDES, 1)}
        rows.append(row)
    frame = pandas.DataFrame(rows)
    headings = pandas.DataFrame(
        [{name: f"Text of {name}" for name in frame}, {name: f'{{"ImportId":"{name}"}}' for name in frame}]
    )
    pandas.concat([headings, frame]).to_csv(folder / "qualtrics.csv", index=False)


def workbook(table: pandas.DataFrame, folder: Path) -> None:
    """With units in the headings, a sheet of notes before, an empty row and an empty cell below a made-up person."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["Asked in spring"])
    sheet = book.create_sheet("Answers")
    features = {"cost": "Cost (€)", "efficacy": "Efficacy (%)"}
    sheet.append(
        ["Respondent", *(f"Medicine {side}: {name}" for side in SIDES for name in features.values()), "Answer"]
    )
    for _, row in table.iterrows():
        cells = [float(row[f"{feature} {side}"]) for side in SIDES for feature in features]
        sheet.append([row["person"], *cells, f"Medicine {row['chosen']}"])
    sheet.append([])
    sheet.append(["eve", None, 50, 3, 60, "Medicine A"])
    book.save(folder / "survey.xlsx")


def r_data(table: pandas.DataFrame, folder: Path) -> None:
    import rdata

    frame = pandas.DataFrame({"id": table["person"], **named(table, "{feature}.{side}"), "choice": table["chosen"]})
    rdata.write_rds(folder / "pairs.rds", frame.astype({"id": object, "choice": object}))


if __name__ == "__main__":
    write()
