# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11+, make and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO := build/demo
DEMO_CLIP := Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity12

.PHONY: demo test lint lock clean

demo: $(VENV)/.installed
	@rm -rf $(DEMO)
	@echo "== Build every benchmark from the invented sample sources in tests/samples"
	$(BIN)/benchwright build all --source tests/samples --out $(DEMO)
	@echo
	@echo "== One of them, rule by rule"
	$(BIN)/benchwright show $(DEMO)/uag-oops
	@echo
	@echo "== Compare it with the paper (the samples are invented, so the counts differ)"
	$(BIN)/benchwright verify $(DEMO)/uag-oops || true
	@echo
	@echo "== Why is this clip not in it?"
	$(BIN)/benchwright why $(DEMO)/uag-oops "$(DEMO_CLIP)"
	@echo
	@echo "== The first rows, read by pandas"
	@$(BIN)/python -c "import pandas; print(pandas.read_parquet('$(DEMO)/uag-ssbd/data')[['sample_id', 'start_s', 'end_s', 'description']].head().to_string())"

test: $(VENV)/.installed
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --extra dev pyproject.toml --output-file requirements.lock

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed (make PYTHON=python3.12)')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
