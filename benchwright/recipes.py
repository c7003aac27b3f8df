"""The one import for people who write recipes. Names and signatures here stay; all other modules may change.

A recipe is a Python file that defines `RECIPE`: a card (what is known beforehand), a reader (raw files to tables),
rules in order (what is kept, dropped, changed, and why) and a schema (the columns of the manifest).
`benchwright build NAME --recipe FILE.py --source DIR` builds it; `docs/recipes.md` has two whole ones.

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> from benchwright.recipes import *
>>> def read(sources):
...     return Candidates(read_csv(sources["images"], {"sample_id": str, "width": int}).assign(split="test"))
>>> @rule("size", cites="our paper, section 3", reasons={"narrow": "{width:g} px is less than {least}"})
... def size(images, *, least: int = 64):
...     "Keep images that are wide enough."
...     return Outcome(keep=images["width"] >= least, reason="narrow", values={"width": images["width"]})
>>> names = [column("sample_id", str, "name of the image"), column("split", str, "split")]
>>> columns = [*names, column("width", int, "width of the image", unit="px")]
>>> about = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "an example")
>>> images = Source(name="images", files=["images.csv"], what="the images", obtain="write it")
>>> card = Card(name="mine", splits=["test"], sources=[images], **about)
>>> RECIPE = Recipe(card, 1, "first version", "image", read, (size,), table_schema("mine", 1, columns))

>>> import benchwright
>>> folder = Path(mkdtemp())
>>> _ = (folder / "images.csv").write_text("sample_id,width\\na,640\\nb,32\\n")
>>> manifest = benchwright.build(RECIPE, folder, folder / "manifests")
>>> manifest.table().to_pylist()
[{'sample_id': 'a', 'split': 'test', 'width': 640}]
>>> benchwright.why(manifest, "b")[0].steps[0].sentence
'32 px is less than 64'
"""

from builders.detection.candidates import box_candidates, coco_candidates
from builders.detection.rules import rules_for
from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, Rule, rule
from builders.engine.sources import Sources
from builders.raw.coco import read_instances
from builders.raw.tables import read_csv, read_records
from schemas.activity import IDS, LABELS, activity_schema
from schemas.cards import Card, Claim, LabelList, ResultCard, Source
from schemas.columns import column, table_schema
from schemas.detection import detection_schema
from schemas.errors import BenchwrightError, InputError, Problem, UsageError
from schemas.notices import Counted
from schemas.publication import Publication
from schemas.temporal import temporal_schema

__all__ = [
    "IDS",
    "LABELS",
    "BenchwrightError",
    "Candidates",
    "Card",
    "Claim",
    "Counted",
    "InputError",
    "LabelList",
    "Outcome",
    "Problem",
    "Publication",
    "Recipe",
    "ResultCard",
    "Rule",
    "Source",
    "Sources",
    "UsageError",
    "activity_schema",
    "box_candidates",
    "coco_candidates",
    "column",
    "detection_schema",
    "read_csv",
    "read_instances",
    "read_records",
    "rule",
    "rules_for",
    "table_schema",
    "temporal_schema",
]
