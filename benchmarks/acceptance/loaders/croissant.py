"""A manifest's croissant.json, by mlcroissant: no error, and every record."""

from __future__ import annotations

import mlcroissant
import report


def main() -> None:
    folder, _, out = report.asked()
    known = mlcroissant.Dataset(str(next(iter(sorted(folder.glob("croissant*.json"))))))
    if known.metadata.ctx.issues.errors:
        raise ValueError(known.metadata.ctx.issues.errors)
    rows, encoded = {}, 0
    for each in known.metadata.record_sets:
        for record in known.records(each.uuid):
            encoded += 1
            fields = {name.rpartition("/")[2]: value for name, value in record.items()}
            if "sample_id" in fields:
                rows.setdefault(fields["split"].decode(), []).append([fields["sample_id"].decode()])
    report.write(out, ["mlcroissant"], rows, encoded)


main()
