"""The verb `push`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright.cli import console
from benchwright.cli.layout import numeric
from benchwright.cli.options import Json, ManifestPath


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog="Example: benchwright push manifests/uag-funqa somebody/uag-funqa --dry-run")(push)


def push(
    manifest: ManifestPath,
    repo: Annotated[str, typer.Argument(help="Data set on the Hub, OWNER/NAME.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be uploaded; no network.")] = False,
    public: Annotated[bool, typer.Option("--public", help="Make a new data set public; else it is private.")] = False,
    has_right: Annotated[
        bool,
        typer.Option("--i-have-the-right", help="Upload though the licence of the annotations does not allow it."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Upload a manifest to the Hugging Face Hub, in one commit, with your token (`hf auth login` or HF_TOKEN)."""
    from benchwright.publishing import push as upload
    from schemas.manifest import open_manifest

    done = upload(open_manifest(manifest), repo, public=public, has_right=has_right, dry_run=dry_run)
    if as_json:
        console.as_json(done)
    else:
        sizes = [[name, size] for name, size in done.files.items()]
        console.table(f"{manifest} to {repo}", ["file", numeric("bytes")], sizes)
        console.say(f"Licence of the annotations: {done.licence}")
    if dry_run:
        if done.objection:
            console.complain(f"{done.objection}: only with --i-have-the-right", "warning")
        console.complain(f"nothing was uploaded, {sum(done.files.values()):,} bytes would be", "note")
    else:
        if not done.private and not public:
            console.complain(f"{repo} was there already, and is public", "note")
        if not as_json:
            console.say(f"{done.url} ({'private' if done.private else 'public'})", "bold")
