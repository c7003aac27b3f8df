"""Object detection: average precision and recall of boxes by the protocols of COCO and Pascal VOC.

Start with `reference`: average precision as plain loops. The same, fast, from files to a score, one idea to a file:

* `images`: the images of a manifest, the boxes in them, and what files call their classes.
* `formats`, `text_files`: predictions of every format, and in memory, become one table.
* `alignment`: that table beside the images; `boxes`: truth and detections as arrays.
* `ranking`: one sort puts all detections in the order in which they are judged, and in which they choose.
* `overlaps`: a table of the boxes of each image and category gives the pairs that overlap, in blocks.
* `coco`: which settings there are, and who matches whom at all of them.
* `outcomes`: what becomes of each detection by COCO's and by VOC's protocols; the score with the best F1.
* `curves`: precision and recall at the true positives; `grid`: all curves of COCO's summary.
* `metrics`: names of metrics, and their values; `bootstrap`: all metrics as a function of image weights.
* `scorer`: all of it for the pipeline.
"""
