# Thin front door: set up what a verb needs, build it, call it.

.PHONY: help report render-build site diff notes pdf test attack torches bench bundle format lint clean
.DEFAULT_GOAL := help
# Two goals build in one folder; Ninja is as parallel as the machine by itself, whatever -j says.
.NOTPARALLEL:

# What each target reads from make's command line, and what set-up and the build do for all of them.
reads_report = EDITION PRESET PROBLEMS SIZES CONTEXTS GPUS MODEL AND MODEL_ARGS LOSS OPTIMIZER COMPILE ATTENTION ANSWERS \
  NOTES OUT RESUME ARGS
reads_site = OWN ANSWERS NOTES OUT ARGS
reads_diff = A B EDITION FORMAT ALLOW FAIL OUT ARGS
reads_pdf = PAPER ANSWERS NOTES OUT ARGS
reads_notes = RUN NOTES ARGS
reads_test = ARGS
reads_attack = ARGS
reads_bench = ARGS
reads_bundle = WITH_TORCH OUT
reads_torches = TORCHES
passed_on = JOBS LIBTORCH TORCH_PYTHON TORCH_CUDA CC CXX LABREPORT_% CMAKE_% PIP_% MAKE% SHELL

# Only what stands on make's command line: an environment may hold an OUT of its own.
given = $(if $(filter command,$(firstword $(origin $(1)))),$(value $(1)))

# To the shell a value is one word, whatever it holds; ARGS alone is words of the user's.
quote = '$(subst ','\'',$(1))'
as_word = $(if $(call given,$(1)),$(call quote,$(call given,$(1))))
flag = $(if $(call given,$(1)),--$(2) $(call as_word,$(1)))

# A switch is on or off.
switches = OWN RESUME FAIL COMPILE
on = 1 yes on true
off = 0 no off false
switch = $(if $(filter $(on),$(call given,$(1))),$(2))
report_flags = $(call flag,EDITION,edition) $(call flag,PRESET,preset) $(call flag,PROBLEMS,problems) \
  $(call flag,SIZES,sizes) \
  $(call flag,CONTEXTS,contexts) $(call flag,GPUS,gpus) $(call flag,MODEL,model) \
  $(call flag,AND,and) $(call flag,MODEL_ARGS,model-args) $(call flag,LOSS,loss) $(call flag,OPTIMIZER,optimizer) \
  $(call switch,COMPILE,--compile) $(call flag,ATTENTION,attention) $(call flag,ANSWERS,answers) \
  $(call flag,NOTES,notes) $(call flag,OUT,out) $(call switch,RESUME,--resume) $(call given,ARGS)

# A variable that no target reads is a slip of the pen: told, not ignored.
goals = $(or $(MAKECMDGOALS),help)
readable = $(foreach goal,$(goals),$(reads_$(goal)))
on_command_line = $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
slip := $(firstword $(filter-out $(readable) $(passed_on) -*-%,$(on_command_line)))
ifneq ($(slip),)
nearest := $(shell python3 -c 'import difflib, sys; name, *known = sys.argv[1:]; \
  print(*difflib.get_close_matches(name.upper(), known, 1))' $(call quote,$(slip)) $(readable))
$(error make $(goals) reads no $(slip)$(if $(nearest),; nearest: $(nearest))$(if $(readable),; it reads \
  $(strip $(readable))))
endif

define line_end


endef
unclear := $(strip $(foreach name,$(switches),$(if $(call given,$(name)),$(if $(strip $(word 2,$(call given,$(name))) \
  $(filter-out $(on) $(off),$(call given,$(name)))),$(name)))))
ifneq ($(unclear),)
$(error $(firstword $(unclear))=$($(firstword $(unclear))) is neither on nor off; give 1 or 0)
endif
broken := $(strip $(foreach name,$(readable),$(if $(findstring $(line_end),$(call given,$(name))),$(name))))
ifneq ($(broken),)
$(error $(firstword $(broken)) holds the end of a line; give it in one)
endif

# Where both programs are built already, the front end among them serves.
preset = $(if $(wildcard build/bin/labreport),default,render)
front_end = $(if $(wildcard build/bin/labreport),build,build-render)/bin/labreport

help:
	@echo 'make report   measure on the GPU in this machine and render the report'
	@echo '              EDITION=2025|2026 PRESET=full|quick|demo SIZES=small,medium CONTEXTS=512'
	@echo '              PROBLEMS=all|profiling|pytorch_attention,gradient_checkpointing,ladder'
	@echo '              PROBLEMS=distributed_communication_single_node,data_parallel between GPUs'
	@echo '              GPUS=0,1|all ANSWERS=none|facts|full RESUME=1 OUT=folder ARGS="other flags"'
	@echo '              NOTES=folder of your own words (notes)'
	@echo '              MODEL=file.py:Class AND=labreport COMPILE=1 MODEL_ARGS={"name": value}'
	@echo '              LOSS=module:name OPTIMIZER=module:name'
	@echo '              ATTENTION=file.py:Class'
	@echo 'make site     render the recorded runs; OWN=1 leaves out those that ship with the project'
	@echo 'make diff     compare two runs: A=run B=run EDITION=2025|2026 FORMAT=table|md|json|html'
	@echo '              ALLOW=batch,vocab FAIL=1 OUT=file; a run is a folder, a file, a GPU,'
	@echo '              latest or previous'
	@echo 'make pdf      typeset the newest run of your own, else the newest recorded one'
	@echo '              PAPER=a4|letter ANSWERS=none|facts|full OUT=folder'
	@echo 'make notes    write an empty note for each part, to answer in your own words; RUN=folder'
	@echo 'make test     build everything, run the tests; ARGS="flags of ctest"'
	@echo 'make attack   what takes long: a thousand kills, each failing write, fuzzing, publishing, clang-tidy'
	@echo 'make torches  build the worker with each version of torch and test it; hours and many GB'
	@echo '              TORCHES="2.8 2.15"'
	@echo 'make bench    show how fast labreport itself is'
	@echo 'make bundle   pack sources, front end, headers and wheels for a machine without network and root'
	@echo '              WITH_TORCH=cu130|cu128 OUT=file'
	@echo 'make format   put the sources into the house style'
	@echo 'make lint     check the house style, and the sources with clang-tidy'
	@echo 'make clean    remove what was built; installed tools and recorded runs stay'

report:
	@setup/install report && setup/build default
	@build/bin/labreport report $(report_flags)

render-build:
	@setup/install render && setup/build $(preset) labreport

site: render-build
	@$(front_end) render $(call switch,OWN,--own) $(call flag,ANSWERS,answers) $(call flag,NOTES,notes) $(call flag,OUT,out) $(call given,ARGS)

diff: render-build
	@$(front_end) diff $(call as_word,A) $(call as_word,B) $(call flag,EDITION,edition) $(call flag,FORMAT,format) $(call flag,ALLOW,allow-mismatch) $(call switch,FAIL,--fail-on-regression) $(call flag,OUT,out) $(call given,ARGS)

notes: render-build
	@$(front_end) notes --init $(call as_word,RUN) $(call flag,NOTES,notes) $(call given,ARGS)

pdf: render-build
	@$(front_end) render --latest --format pdf $(call flag,PAPER,paper) $(call flag,ANSWERS,answers) $(call flag,NOTES,notes) $(call flag,OUT,out) $(call given,ARGS)

test:
	@setup/install test && setup/build --all default && setup/build --all asan
	@setup/test $(call given,ARGS)

attack:
	@setup/install attack && setup/build --all default && setup/build --all fuzz && \
	  setup/build --all asan-all
	@setup/test --attack $(call given,ARGS)

torches:
	@setup/install test && tests/torches/torches $(foreach one,$(call given,TORCHES),$(call quote,$(one)))

bench:
	@setup/install report && setup/build default bench
	@python3 -B tests/bench/bench.py build $(call given,ARGS)

bundle: render-build
	@setup/bundle $(front_end) $(call flag,WITH_TORCH,with-torch) $(call as_word,OUT)

format:
	@setup/install lint && tests/lint/format --fix

lint:
	@setup/install lint && tests/lint/format && tests/lint/tidy

clean:
	rm -rf build build-render build-asan build-asan-all build-fuzz build-lint
