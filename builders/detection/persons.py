"""What the benchmarks of person detection share: the class, and the rules of the paper's filter."""

from __future__ import annotations

from builders.detection.rules import rules_for

PERSON = "person"
CITED = "FraunhoferIKS/smf-object-detection : src/generate_annotations.py"

category, person_present, small_person = rules_for(
    PERSON,
    cites=CITED,
    cites_small=f"Schwaiger et al. 2023 (images with persons below 2247 px2 are left out); {CITED}",
)
small_person = small_person.with_defaults(min_area=2247.0)
