"""Walk of a call: which modules of LORI does it pass through, and how often does it change the folder?

    python tools/walk.py lori fit choices.csv --report report.html     a command
    python tools/walk.py -c 'import lori; ...'                         some Python

A module is passed when one of its functions runs (importing it does not count). Modules are listed in the order in
which they are first passed; a change of folder is counted wherever two neighbours of that list live in different ones.
"""

from __future__ import annotations

import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any


class Walk:
    """Modules in the order in which a function of theirs first ran."""

    def __init__(self, root: Path) -> None:
        self.root = str(root) + "/"
        self.modules: dict[str, None] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(self.root) and code.co_filename.endswith(".py")
        if event != "call" or not ours or code.co_name == "<module>":
            return
        below: FrameType | None = frame
        while below is not None:  # what runs while a module is being imported is not part of the walk
            if below.f_code.co_name == "<module>" and below.f_code.co_filename.startswith(self.root):
                return
            below = below.f_back
        self.modules.setdefault(code.co_filename.removeprefix(self.root))

    def changes(self, depth: int | None = None) -> int:
        """Of folder, or of its first `depth` parts: 1 for layers."""
        folders = [Path(module).parent.parts[:depth] for module in self.modules]
        return sum(one != other for one, other in pairwise(folders))

    def report(self) -> str:
        lines, folder = [], ""
        for module in self.modules:
            own = str(Path(module).parent)
            lines.append(f"{own if own != folder else '':<28}{Path(module).name}")
            folder = own
        counts = f"{len(self.modules)} modules, {self.changes()} changes of folder, {self.changes(1)} of them of layer"
        return "\n".join([*lines, counts])


def main(arguments: list[str]) -> None:
    if len(arguments) < 2 or arguments[0] not in ("lori", "-c"):
        sys.exit(__doc__)
    import lori

    walk = Walk(Path(lori.__file__).parent)
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        if arguments[0] == "-c":
            exec(compile(arguments[1], "<walk>", "exec"), {"__name__": "__main__"})
        else:
            from importlib.metadata import entry_points

            sys.argv = arguments
            (command,) = entry_points(group="console_scripts", name="lori")
            command.load()()
    except SystemExit as end:
        if end.code not in (0, None):
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        print(walk.report(), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
