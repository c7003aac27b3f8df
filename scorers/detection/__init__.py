"""Object detection: average precision and recall of boxes by the protocols of COCO and Pascal VOC.

Start with `reference`: average precision as plain loops. The same from files to a score, one idea to a file:

* `alignment`: the images of a manifest, and predictions beside them; `formats`, `text_files`: prediction files.
* `boxes`: truth and detections as arrays, read from Arrow columns.
* `ranking`: one sort puts all detections in the order in which they are judged.
* `overlaps`: a table of the boxes of each image and category gives the pairs that overlap, in blocks.
* `matching`: the match table of all thresholds and area ranges.
* `coco`, `voc`: what becomes of each detection by either protocol.
* `curves`: precision and recall at the true positives; `grid`: all curves of COCO's summary.
* `metrics`: names of metrics, and their values; `protocols`: scores by a protocol's name.
* `bootstrap`: all metrics as a function of image weights.
* `operating`: whole curves, and the score with the best F1.
* `pycocotools_grid`: the same grid by pycocotools.
"""
