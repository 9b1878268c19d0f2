# Each target installs what it needs, builds the programs and calls one.

targets := help report render-build site diff notes pdf submit test try attack torches distros bench record bundle format lint clean
.PHONY: $(targets)
.DEFAULT_GOAL := help
# Goals run one after another, because they build in the same folder. Ninja itself uses all cores, whatever -j says.
.NOTPARALLEL:

# These variables are read from make's command line by each target, in the order of its words, and by setup/.
reads_report = EDITION PRESET PROBLEMS SIZES CONTEXTS GPUS RANKS MODEL AND MODEL_ARGS LOSS OPTIMIZER COMPILE ATTENTION STEP STEP_ARGS DDP SHARDED_OPTIMIZER FSDP COURSE ANSWERS \
  NOTES OUT RESUME ARGS
reads_site = OWN ANSWERS NOTES SITE_URL OUT ARGS
reads_diff = A B EDITION PRICE_A PRICE_B FORMAT ALLOW FAIL OUT ARGS
reads_pdf = RUN EDITION PAPER ANSWERS NOTES OUT ARGS
reads_notes = RUN NOTES ARGS
reads_submit = RUN EDITION COURSE PAPER ANSWERS NOTES OUT ARGS
reads_test = ARGS
reads_try = PROBLEM
reads_attack = ARGS
reads_bench = ARGS
reads_record = RUNS MINUTES OUT CHECK
reads_bundle = WITH_TORCH OUT
reads_torches = TORCHES
reads_distros = DISTROS
passed_on = JOBS LIBTORCH TORCH_PYTHON TORCH_CUDA CC CXX LABREPORT_% CMAKE_% PIP_%

# Variables count only if they are on make's command line, because the environment may have another OUT. make would
# expand values when it exports them, so the exported ones are frozen.
MAKEOVERRIDES =
given := $(filter-out -*-% MAKE% SHELL,$(foreach name,$(.VARIABLES),\
  $(if $(filter command,$(firstword $(origin $(name)))),$(name))))
unexport $(given)
frozen := $(filter $(passed_on),$(given))
$(foreach name,$(frozen),$(eval override export $(name) := $$(value $(name))))

quote = '$(subst ','\'',$(1))'
given_values = $(foreach name,$(filter-out $(frozen),$(given)),$(call quote,$(name)=$(value $(name))))
as_words = $(shell setup/words '$(1)' $(given_values))

# An unknown target, and a variable that no target reads, are reported as mistakes.
goals = $(or $(MAKECMDGOALS),help)
unknown := $(firstword $(filter-out $(targets),$(goals)))
problem := $(if $(unknown),$(shell setup/words --target $(call quote,$(unknown)) $(targets)),$(shell \
  setup/words --check '$(goals)' '$(strip $(foreach goal,$(goals),$(reads_$(goal))))' $(given_values)))
$(if $(problem),$(error $(problem)))

# If `make report` has built both programs, its front end is used.
preset = $(if $(wildcard build/bin/labreport),default,render)
front_end = $(if $(wildcard build/bin/labreport),build,build-render)/bin/labreport

help:
	@echo 'make report   measure on the GPU in this machine and render the report'
	@echo '              EDITION=2025|2026 PRESET=full|quick|demo SIZES=small,medium CONTEXTS=512'
	@echo '              PROBLEMS=all|profiling|pytorch_attention,gradient_checkpointing,ladder'
	@echo '              PROBLEMS=distributed_communication_single_node,data_parallel between GPUs'
	@echo '              GPUS=0,1|all ANSWERS=none|full RESUME=1 OUT=folder ARGS="other flags"'
	@echo '              NOTES=folder of your own words (notes)'
	@echo '              MODEL=file.py:Class AND=labreport COMPILE=1 MODEL_ARGS={"name": value}'
	@echo '              LOSS=module:name OPTIMIZER=module:name'
	@echo '              ATTENTION=file.py:Class,file.py:Class'
	@echo '              STEP=file.py:make_step AND=labreport STEP_ARGS={"name": value}'
	@echo '              COURSE=folder of a checkout of the assignment: the implementations in it'
	@echo '              DDP=file.py:Class SHARDED_OPTIMIZER=file.py:Class FSDP=file.py:Class'
	@echo '              RANKS=2 trains on several GPUs, your step, your model or labreport'"'s"
	@echo 'make site     render the recorded runs; OWN=1 leaves out those that ship with the project'
	@echo '              SITE_URL=https://host/path/ gives link previews their picture'
	@echo 'make diff     compare two runs: A=run B=run EDITION=2025|2026 FORMAT=text|table|md|json|html'
	@echo '              ALLOW=batch,vocab FAIL=1 OUT=file; a run is a folder, a file, a GPU,'
	@echo '              latest or previous; PRICE_A=2.49 PRICE_B=3.79 an hour: which to rent'
	@echo 'make pdf      typeset one report of your runs, as make submit joins them, else of the newest'
	@echo '              recorded one; RUN=run,run EDITION=2025|2026 PAPER=a4|letter ANSWERS=none|full'
	@echo '              OUT=folder'
	@echo 'make notes    write an empty note for each part, to answer in your own words; RUN=run'
	@echo 'make submit   writeup.pdf, code.zip, and a folder and a zip file with figures, CSV and run.json of'
	@echo '              your runs, joined; RUN=run,run EDITION=2025|2026 PAPER=a4|letter'
	@echo '              COURSE=folder of a checkout, whose code is handed in'
	@echo '              ANSWERS=none|full NOTES=folder OUT=folder'
	@echo 'make test     build everything, run the tests; ARGS="flags of ctest"'
	@echo 'make try      test one problem and show its answers in seconds; PROBLEM=nsys_profile'
	@echo 'make attack   what takes long: a thousand kills, each failing write, fuzzing, publishing, clang-tidy'
	@echo 'make torches  build the worker with each version of torch and test it; hours and many GB'
	@echo '              TORCHES="2.8 2.15"'
	@echo 'make distros  run both commands in fresh copies of the supported distributions; as root, hours'
	@echo '              DISTROS="bookworm trixie"'
	@echo 'make bench    show how fast labreport itself is'
	@echo 'make record   measure anew the runs that the site shows, on this machine; for maintainers'
	@echo '              RUNS=ladder,scaling MINUTES=9 OUT=folder; MINUTES=0 only shows them'
	@echo '              CHECK=1 recomputes what the recorded ones say'
	@echo 'make bundle   pack sources, front end, headers and wheels for a machine without network and root'
	@echo '              WITH_TORCH=none|cu130|cu128 OUT=file'
	@echo 'make format   put the sources into the house style'
	@echo 'make lint     check the house style, and the sources with clang-tidy'
	@echo 'make clean    remove what was built; installed tools and recorded runs stay'

# The program's hints then name variables of make instead of flags.
report site diff notes pdf: export LABREPORT_CALLER = make

report:
	@setup/install report && setup/build default
	@build/bin/labreport report $(call as_words,$(reads_report))

render-build:
	@setup/install render && setup/build $(preset) labreport

site: render-build
	@$(front_end) render $(call as_words,$(reads_site))

diff: render-build
	@$(front_end) diff $(call as_words,$(reads_diff))

notes: render-build
	@$(front_end) notes --init $(call as_words,$(reads_notes))

submit: render-build
	@LABREPORT_CALLER=make $(front_end) submit $(call as_words,$(reads_submit))

pdf: render-build
	@$(front_end) render --write-up --format pdf $(call as_words,$(reads_pdf))

test:
	@setup/install test && setup/build --all default && setup/build --all asan
	@setup/test $(call as_words,$(reads_test))

try:
	@setup/install test && setup/build --all default labreport && setup/build default experiments_tests
	@setup/try $(call as_words,$(reads_try))

attack:
	@setup/install attack && setup/build --all default && setup/build --all fuzz && \
	  setup/build --every asan
	@setup/test --attack $(call as_words,$(reads_attack))

torches:
	@setup/install test && tests/torches/torches $(call as_words,$(reads_torches))

distros:
	@tests/distros/distros $(call as_words,$(reads_distros))

bench:
	@setup/install report && setup/build default bench
	@python3 -B tests/bench/bench.py build $(call as_words,$(reads_bench))

record:
	@setup/install report && setup/build default
	@setup/record build/bin/labreport $(call as_words,$(reads_record))

bundle: render-build
	@setup/bundle $(front_end) $(call as_words,$(reads_bundle))

format:
	@setup/install lint && tests/lint/format --fix

lint:
	@setup/install lint && tests/lint/format && tests/lint/tidy

clean:
	rm -rf build build-render build-asan build-fuzz build-lint
