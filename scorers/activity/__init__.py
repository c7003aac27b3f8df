"""Panoramic activity recognition: individual actions, social groups and their activities, global activities.

From predictions to a score:

* `formats`, `records`: files and tables of every format, as one long table per task, and the labels in its records;
* `join`, `alignment`: the long tables beside the truth, which `frames` reads of a manifest;
* `arrays`: label sets as the bits of a number, and their precision, recall and F1; rows by their keys;
* `groups`: which groups match, and who is together with whom;
* `protocols`: `paper`, `description` and `strict`, as sums over sequences;
* `baselines`: what the same labels for everybody reach; `scorer`: all of it, for `scorers.run`, with reasons.

`reference` says the same in 80 lines, frame by frame: read it first. The unit inside is the fraction; a score is in
percent.
"""
