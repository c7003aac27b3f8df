"""Self-monitoring of a person detector by a detector of body parts: does the monitor find the detector's errors?

A detected person in whom no part is found is declared a false positive; a part outside every detected person declares a
missed person. Both verdicts are held against the truth, object by object and image by image, over a sweep of the
tolerance with which a part may stick out of a person.

* `reference`: all of it as plain loops; the rest is tested against it.
* `judgement`: the errors there are and the monitor's verdicts on them, counted in every image.
* `metrics`: names of metrics, and their values from sums over images: balances, precision, recall, MCC.
* `scorer`: who monitors whom (MultiDet, SingleDet, Baseline), read from predictions; the best tolerances.

Source: Schwaiger et al. 2023 (arXiv 2307.04533), and their code, FraunhoferIKS/smf-object-detection, called the
authors' code in this package.
"""
