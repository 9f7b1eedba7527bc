"""Does the report say what was found, harmlessly, in valid HTML that asks for nothing from outside?"""

import dataclasses
import json
import re

import html5lib
import numpy as np
import pytest

import lori
from lori.evaluation.metrics import HeldOut, held_out
from lori.inference import fitting
from lori.interfaces.figures import ladder
from lori.interfaces.report import content as reports
from lori.interfaces.report import rendering
from lori.language.names import END, ISOLATE, clean, short
from lori.language.sentence import Name, Sentence


@pytest.fixture(scope="module")
def content(model, person, module_patch):
    return reports.report(model, person, title="Person 1", command="lori report model.json <pairs>.csv")


@pytest.fixture(scope="module")
def module_patch():
    """Cross-validation has its own tests: here the model's own predictions stand for held-out ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            reports,
            "held_out",
            lambda model, prefs: HeldOut(prefs, np.full((len(prefs), 3), [-0.5, -np.inf, -0.9]), 5),
        )
        yield patch


def parsed(page: str):
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(page)


def words(element) -> str:
    return " ".join("".join(element.itertext()).split())


def words_of(sentence: Sentence) -> str:
    """As a page has it: directions are isolated by elements there, not by characters."""
    return " ".join(sentence.replace(ISOLATE, "").replace(END, "").split())


def test_the_answer_is_in_the_page_the_markdown_and_the_json(content):
    page, text = words(parsed(rendering.html(content))), rendering.markdown(content)
    data = json.loads(json.dumps(rendering.content(content), allow_nan=False))
    first = "Probability (more is better) comes first: differences of 0.1089 or more (95 % interval 0.0938 to 0.1240)"
    for form in (page, text, data["answer"][0]):
        assert first in form
    for form in (page, text):
        assert "200 comparisons of 10 pairs by 1 agent" in form
        assert "Probability and payoff move together in every pair" in form
        assert "Once the loss in probability reaches 0.11, no gain in payoff of up to 1 makes up for it." in form
        assert "Hüyük" in form
        assert "lori report model.json <pairs>.csv" in form
        assert f"numpy {np.__version__}" in form
    assert data["quality"]["folds"] == 5
    assert data["pictures"]["ladder"].startswith("Level 1")


def test_the_page_is_valid_and_asks_for_nothing(content):
    page = rendering.html(content)
    tree = parsed(page)  # strict: any parse error is an exception
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert not list(tree.iter("script"))
    for element in tree.iter():
        for name, value in element.attrib.items():
            if str(name).endswith(("href", "src")):
                assert value.startswith(("#", "data:")), value
    assert not re.search(r"@import|url\((?!#)", page)
    assert "default-src 'none'" in page


def test_every_figure_has_a_role_and_words(content):
    drawings = list(parsed(rendering.html(content)).iter("{http://www.w3.org/2000/svg}svg"))
    assert len(drawings) == 5
    for drawing in drawings:
        assert drawing.get("role") == "img"
        assert len(drawing.get("aria-label")) > 40


def renamed(value, names: dict[str, str]):
    """The same content with other names of features, wherever they are mentioned."""
    if isinstance(value, Sentence):
        return Sentence(*(Name(renamed(part.text, names)) if isinstance(part, Name) else part for part in value.parts))
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old.capitalize(), new[:1].upper() + new[1:]).replace(old, new)
        return value
    if isinstance(value, dict):
        return {renamed(key, names): renamed(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(renamed(part, names) for part in value)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value)(**{name: renamed(part, names) for name, part in parts.items()})
    return value


@pytest.fixture(params=[(0, 4), (1, 3), (2, 6), (5, 7)], ids=str)
def disguised(request, content, hostile):
    """The report on a model whose features have harmful names, and these names."""
    pair = [hostile[place] for place in request.param]
    names = dict(zip(("probability", "payoff"), pair, strict=True))
    fields = {field.name: getattr(content, field.name) for field in dataclasses.fields(content)}
    changed = {name: renamed(part, names) for name, part in fields.items() if name not in ("pictures", "command")}
    ladders = ladder.figure(changed["summary"])
    drawn = {"ladder": reports.picture("ladder", "Ladder", ladders)}
    kept = {
        key: dataclasses.replace(picture, caption=renamed(picture.caption, names))
        for key, picture in content.pictures.items()
        if key != "ladder"
    }
    command = f"lori fit '{hostile[6]}' </code> *x*"
    return reports.Report(**changed | {"title": pair[0], "command": command, "pictures": kept | drawn}), pair


def test_hostile_names_do_no_harm(disguised):
    report, pair = disguised
    page = rendering.html(report)
    tree = parsed(page)
    assert not {"script", "b", "img"} & {str(element.tag) for element in tree.iter()}
    assert "\u202e" not in page
    shown = {words(element) for element in tree.iter("bdi")}
    titles = {element.get("title") for element in tree.iter("bdi")}
    for name in pair:
        assert short(name) in shown
        assert len(name) <= 40 or clean(name) in titles
    assert "n" * 41 not in words(tree.find("body"))
    assert "*x*" in words(tree)


def test_hostile_names_in_markdown_and_json(disguised):
    from markdown_it import MarkdownIt

    report, pair = disguised
    text = rendering.markdown(report)
    shown = html5lib.parseFragment(MarkdownIt().enable("table").render(text), namespaceHTMLElements=False)
    tags = {element.tag for element in shown.iter()}
    assert tags <= {"DOCUMENT_FRAGMENT", "h1", "h2", "p", "ol", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
                    "pre", "code"}  # fmt: skip
    assert {len(row) for row in shown.iter("tr")} == {3, 5, 7}  # no name breaks a table
    assert rendering.content(report)["summary"]["features"] == pair


def test_files_are_written_beside_and_renamed(content, tmp_path):
    for write, name in (
        (rendering.write_html, "a.html"), (rendering.write_markdown, "a.md"), (rendering.write_json, "a.json"),
    ):  # fmt: skip
        write(content, tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json", "a.md"]
    assert (tmp_path / "a.html").stat().st_size < 300_000
    hopeless = dataclasses.replace(content, quality=dataclasses.replace(content.quality, log_likelihood=-np.inf))
    rendering.write_json(hopeless, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["quality"]["log_likelihood"] is None


def test_one_posterior_and_no_second_search(person, module_patch, monkeypatch):
    """The very preferences that were fitted have their posterior without another fit, for sentences and figures."""
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0), starts=4).fit(person)
    counts = {"posteriors": 0, "fits": 0}

    def counting(name, function):
        def counted(*arguments, **options):
            counts[name] += 1
            return function(*arguments, **options)

        return counted

    monkeypatch.setattr(lori.LORI, "posterior", counting("posteriors", lori.LORI.posterior))
    monkeypatch.setattr(fitting, "fit_source", counting("fits", fitting.fit_source))
    report = reports.report(model, person)
    assert counts == {"posteriors": 1, "fits": 0}
    assert "Probability comes first with a probability of" in report.order
    assert "95 % of the posterior" in report.pictures["tradeoff"].caption


def test_the_same_sentences_as_everywhere(content, model):
    data = rendering.content(content)
    assert data["answer"] == data["summary"]["sentences"] == model.summary().to_dict()["sentences"]
    page = words(parsed(rendering.html(content)))
    for sentence in data["answer"]:
        assert sentence in page


@pytest.mark.slow
def test_what_is_missing_is_explained(model, person, monkeypatch):
    monkeypatch.setattr(reports, "held_out", held_out)
    monkeypatch.setattr(reports.plots, "leaders", lambda model: ["payoff"])
    page = words(parsed(rendering.html(reports.report(model, person.subset(np.arange(5))))))
    assert "too few different pairs for cross-validation" in page
    assert "there is nothing to trade" in page


@pytest.mark.slow
def test_a_hostile_file_from_end_to_end(hostile):
    truth = lori.OrderedModel.linear(
        np.vstack([np.eye(8)[0] * 3, np.eye(8)[4] * 2]), epsilon=[1.5, 0.0], features=hostile
    )
    prefs = lori.simulate(truth, 1000, seed=0)
    prefs = dataclasses.replace(prefs, agent=np.array([f"<b>Mrs Smith</b> {i % 3}" for i in range(1000)]))
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all")).fit(prefs)  # 8 starts miss the best optimum
    content = reports.report(model, prefs, title=hostile[3])
    page = rendering.html(content)
    shown = words(parsed(page).find("body"))
    assert "Smith" not in page
    assert "by 3 agents" in shown
    assert [level.leading[0] for level in content.summary.levels] == [hostile[0], hostile[4]]
    for sentence in content.answer:
        assert words_of(sentence) in shown


def test_raw_pairs_are_named_as_such_and_can_be_left_out(model, person, content, module_patch):
    assert content.surprises
    private = reports.report(model, person, pairs=False)
    warning, told = "These pairs are raw data", "were left out of this report"
    for form in (rendering.html, rendering.markdown, lambda own: json.dumps(rendering.content(own))):
        assert warning in form(content)
        assert told not in form(content)
        assert warning not in form(private)
        assert told in form(private)
        assert "the model gives" not in form(private)
    assert private.surprises == []
    parsed(rendering.html(private))


def test_no_order_is_told_where_people_who_differ_explain_more(model, person):
    support = dataclasses.replace(model.summary().support, verdict="differences between people")
    summary = dataclasses.replace(model.summary(), support=support)
    posterior = model.posterior(person)
    assert reports.sentences.order(model.summary(), posterior)
    assert not reports.sentences.order(summary, posterior)


@pytest.mark.parametrize(
    ("ties", "told"),
    [("split", "| a coin | -0.6931 | 50 % |"), ("observed", "| an answer at random | -1.0986 | 33 % |")],
)
def test_chance_has_as_many_answers_as_the_question(content, ties, told):
    assert told in rendering.markdown(
        dataclasses.replace(content, summary=dataclasses.replace(content.summary, ties=ties))
    )


def test_tradeoffs_of_levels_that_are_not_supported_say_so(model, person, content, module_patch, monkeypatch):
    assert "tradeoff" not in content.remarks
    support = dataclasses.replace(model.summary().support, verdict="not supported")
    summary = dataclasses.replace(model.summary(), support=support)
    monkeypatch.setattr(type(model), "summary", lambda _: summary)
    assert str(reports.report(model, person).remarks["tradeoff"]) == str(reports.sentences.UNSUPPORTED)


def test_a_fitted_model_writes_its_own_page(model, person, module_patch, tmp_path):
    model.report(tmp_path / "page.html", person, title="Person 1")
    page = (tmp_path / "page.html").read_text()
    assert "<h1><bdi>Person 1</bdi></h1>" in page
    assert "Row " in page  # surprising ones are named by their place
    with pytest.raises(lori.InputError, match="path: expected the name of an HTML page"):
        model.report(tmp_path / "page.pdf", person)
    with pytest.raises(lori.InputError, match="preferences: expected the data, got none"):
        lori.load(_saved(model, tmp_path)).report(tmp_path / "again.html")


def _saved(model, folder):
    model.save(folder / "model.json")
    return folder / "model.json"
