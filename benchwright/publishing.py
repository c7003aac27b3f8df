"""A manifest's folder on the Hugging Face Hub, in one commit."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from schemas.contents import FOLDER, MEDIA
from schemas.errors import BenchwrightError, InputError, Problem, UsageError
from schemas.manifest import Manifest
from schemas.manifest_folder import CROISSANT_FILE, IDENTITY_FILE, LEDGER_FILE, README_FILE, is_written, split_file
from schemas.publication import Publication

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_KIND = "dataset"
# What the Hub itself puts into a new repository.
_OF_THE_HUB = {".gitattributes"}


class Upload(msgspec.Struct, frozen=True):
    """What was or would be uploaded.

    Attributes:
        repository: `OWNER/NAME`.
        files: sizes in bytes by their paths.
        licence: of the annotations, in the card's words.
        objection: why it is not to be uploaded, empty for no reason.
        url: of the commit; None where nothing was uploaded.
        private: whether the repository is to be seen by its owners alone; None where nothing was uploaded.
    """

    repository: str
    files: dict[str, int]
    licence: str
    objection: str
    url: str | None = None
    private: bool | None = None


def planned(manifest: Manifest, repository: str) -> Upload:
    """What `push` would upload: no network, no token.

    Raises:
        UsageError: a manifest in memory or of one file alone, or no name of a repository.
        InputError: files that are missing, or were changed after the build.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise UsageError(
            f"{repository!r}: expected OWNER/NAME of a data set on the Hub, as in somebody/{manifest.identity.name}"
        )
    if not manifest.path.is_dir():
        raise UsageError(f"{manifest.path} is no folder of a manifest, which is what is uploaded")
    manifest.table(), manifest.ledger()  # refuses rows that were changed
    names = [README_FILE, CROISSANT_FILE, IDENTITY_FILE, LEDGER_FILE, *map(split_file, manifest.splits)]
    held = (path for path in sorted((manifest.path / MEDIA).rglob("*")) if path.is_file())
    names += [path.relative_to(manifest.path).as_posix() for path in held]
    missing = [name for name in names if not (manifest.path / name).is_file()]
    if missing:
        expected, advice = "what a build writes", "build it again"
        raise InputError([Problem(str(manifest.path / name), "", "", "nothing", expected, advice) for name in missing])
    card = manifest.card
    told = card.publication if card else Publication()
    licence = card.licence if card else "not known, as the manifest has no card"
    refusals = {
        "forbidden": "the licence of the annotations forbids to publish rows made of them",
        "not stated": "nobody is said to have the right to publish rows made of the annotations",
    }
    files = {name: (manifest.path / name).stat().st_size for name in names}
    return Upload(repository, files, licence, refusals.get(told.redistribution, ""))


def push(
    manifest: Manifest, repository: str, *, public: bool = False, has_right: bool = False, dry_run: bool = False
) -> Upload:
    """Upload a manifest, in the place of an earlier one, in one commit.

    The token is that of `huggingface_hub`: `HF_TOKEN`, or what `hf auth login` stored.

    Args:
        manifest: the folder of one.
        repository: `OWNER/NAME`, which is made if it is not there.
        public: whether a new one is for all to see.
        has_right: whether the caller has the right to publish what the card's licence does not allow to publish.
        dry_run: only say what would be uploaded.

    Raises:
        UsageError: as `planned`; the licence does not allow it; `huggingface_hub` or a token is lacking; the repository
            holds other things than a manifest.
        InputError: as `planned`.
        BenchwrightError: the Hub refuses, or cannot be reached.
    """
    plan = planned(manifest, repository)
    if dry_run:
        return plan
    if plan.objection and not has_right:
        advice = "whoever has the right says so with --i-have-the-right"
        raise UsageError(f"{manifest.path}: {plan.objection} (licence: {plan.licence}); {advice}")
    try:
        import huggingface_hub as hub
        from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]
    except ImportError:
        raise UsageError("push needs huggingface_hub: pip install 'benchwright[hub]'") from None
    if not sys.stderr.isatty():
        disable_progress_bars()
    token = hub.get_token()
    if token is None:
        raise UsageError("no token for the Hub: run `hf auth login`, or set HF_TOKEN")
    try:
        return _uploaded(hub.HfApi(os.environ.get("HF_ENDPOINT") or None, token), manifest, plan, public)
    except BenchwrightError:
        raise
    except Exception as failure:  # of its HTTP library, which is another one from version to version
        causes = [str(each) or type(each).__name__ for each in (failure, failure.__cause__) if each]
        said = " ".join(": ".join(dict.fromkeys(causes)).split()).replace(token, "***")
        raise BenchwrightError(f"the Hub did not take {repository}: {said}") from None


def _uploaded(api: HfApi, manifest: Manifest, plan: Upload, public: bool) -> Upload:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        there = api.dataset_info(plan.repository)
    except RepositoryNotFoundError:
        api.create_repo(plan.repository, repo_type=_KIND, private=not public)
        there = api.dataset_info(plan.repository)
    held = {file.rfilename for file in there.siblings or ()} - _OF_THE_HUB
    if held - {README_FILE} and IDENTITY_FILE not in held:
        raise UsageError(f"{plan.repository} holds files but no manifest ({min(held)}); choose another name")
    operations: list[Any] = [
        CommitOperationAdd(name, _page(manifest, plan.repository) if name == README_FILE else manifest.path / name)
        for name in plan.files
    ]
    operations += [CommitOperationDelete(name) for name in sorted(held - set(plan.files)) if is_written(name)]
    identity = manifest.identity
    message = f"benchwright {identity.tool_version}: {identity.name}, content digest {identity.content_digest[:12]}"
    commit = api.create_commit(plan.repository, operations, commit_message=message, repo_type=_KIND)
    return msgspec.structs.replace(plan, url=commit.commit_url, private=bool(there.private))


def _page(manifest: Manifest, repository: str) -> bytes:
    """The README, whose example loads the repository."""
    return (manifest.path / README_FILE).read_bytes().replace(FOLDER.encode(), repository.encode())
