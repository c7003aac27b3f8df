"""What words in tables mean that are not plain by themselves; those of scores are their scorer's (`Scorer.words`)."""

from __future__ import annotations

VERDICTS = {
    "reproduced": "ours prints as the paper's number",
    "differs": "it does not, for the reason given if there is one",
    "needs source": "an optional file was not there, or another in place of the authors' own",
    "needs media": "only the videos or images can give this number",
    "needs file": "predictions that are not there",
    "needs manifest": "a benchmark that is not built",
    "quoted": "the paper's number alone: nothing was published to compute it from",
    "not applicable": "this build has no such values",
}
RULES = {
    "dropped": "taken out of the benchmark",
    "changed": "kept with values that the rule gave",
    "noted": "kept as they are, entered in the ledger",
    "passed": "kept as it was",
    "derived": "kept with values that the rule gives every row",
    "not reached": "dropped before",
}
GRADES = {
    "decides": "a lead turns round, or the first place changes and is led",
    "reorders": "places change by more than another sample of the same clusters would, or a lead is lost or gained",
    "noise": "places change, no more than by resampling",
    "shifts": "no places change, but a score by more than half its interval",
}
KINDS = {
    "equivalent": "could have been published as well",
    "repair": "mends an error",
    "other benchmark": "asks for something else, so that scores are not of the same benchmark",
}
BUILDS = {
    "built": "the manifest is there",
    "lacks sources": "the files named are not below the folder; --source NAME=PATH names one",
    "failed": "for the reason given",
}
FINDINGS = {
    "error": "the manifest is not what it says it is, or cannot be read rightly",
    "warning": "unusual, as true sources may be",
}
SIGNATURE = {
    "n": "rows scored of all",
    "sha": "start of the content digest",
    "rules": "parameters that are not the defaults",
    "bs": "resamples",
    "rs": "their seed",
    "v": "version of benchwright",
}
F1 = {
    "score threshold": "keep boxes whose score reaches it",
    "F1": "2 precision recall / (precision + recall), the best there is",
    "precision": "kept boxes that match a true one / kept boxes",
    "recall": "kept boxes that match a true one / true boxes",
}
