-- A run as tables. Times are nanoseconds and memory is bytes, as in run.json; NULL is absent.
-- Rows that belong together share the names of their keys: `join launch using (launch)`.

-- The runs that were asked for.
create table run (
  run text primary key,          -- as the command named it: 'H200', 'site/runs/…'
  edition text not null,         -- '2025' or '2026'
  preset text not null,          -- 'full', 'quick', 'demo'; of imported tables 'none'
  source text not null           -- 'measured' or 'imported'
) strict;

-- The invocations that measured a run; a resumed run has several.
create table session (
  run text not null,
  session integer not null,      -- from 0
  started_at text not null,      -- UTC: '2026-05-01T12:34:56Z'
  revision text not null,        -- the commit of labreport's sources
  dirty integer not null,        -- 1: the sources differed from that commit
  host text not null,            -- empty: left out
  cpu text not null,
  cores integer not null,
  driver text not null,
  cuda text not null,
  cublas text not null,
  cupti text not null,
  libtorch text not null,
  python text not null,          -- of the worker for models in Python; empty: there was none
  seed integer not null,
  primary key (run, session)
) strict, without rowid;

-- The devices that measured.
create table device (
  run text not null,
  device integer not null,       -- from 0
  type text not null,            -- 'cuda' or 'cpu'
  device_name text not null,     -- 'NVIDIA H200'
  uuid_hash text not null,
  memory_bytes integer not null,
  compute_capability text not null,
  multiprocessors integer not null,
  max_sm_clock_mhz integer not null,
  max_memory_clock_mhz integer not null,
  power_limit_mw integer not null,
  primary key (run, device)
) strict, without rowid;

-- What was to be measured, in the order of the plan. A kind leaves parameters NULL that it does not use.
create table cell (
  cell integer primary key,
  run text not null,
  id text not null,              -- all parameters as a name
  kind text not null,            -- 'timing', 'kernels', 'memory', 'attention', …
  device_kind text not null,     -- 'cuda' or 'cpu'
  size text,                     -- the edition's name of the network: 'small', '2.7B'
  implementation text,           -- whose network: NULL is labreport's own
  d_model integer,
  d_ff integer,
  layers integer,
  heads integer,
  vocab integer,
  context integer,               -- tokens
  batch integer,                 -- sequences; with ranks, of each rank
  precision text,                -- 'fp32', 'tf32', 'bf16', 'fp16'
  mode text,                     -- 'inference', 'forward', 'forward_backward', 'train_step'
  warmup integer,                -- steps that run first and are not counted
  steps integer,                 -- steps that are counted
  variant text,                  -- ladder: how the step is written
  checkpoint_group integer,      -- checkpointing: blocks that share one checkpoint
  method text,                   -- attention: how it is timed
  backend text,                  -- attention: who computes it
  head_dim integer,              -- attention
  ranks integer,                 -- processes that measure together
  collectives text,              -- 'nccl' or 'gloo'
  largest_bytes integer,         -- all_reduce: the largest tensor
  sharding text,                 -- sharding: what ranks hold a share of
  scheme text,                   -- data_parallel: how gradients are averaged
  bucket_bytes integer           -- data_parallel: the largest bucket
) strict;

-- Processes that measured a cell, or failed to.
create table launch (
  launch integer primary key,
  cell integer not null,
  number integer not null,       -- from 0, within the cell
  run text not null,
  session integer not null,
  device integer,                -- NULL: nothing started
  represents integer not null,   -- 1: it stands for its cell, the first that is ok or else the last
  status text not null,          -- 'ok', 'oom', 'skipped', 'timeout', 'crashed', 'error'
  why text,                      -- the status in words: 'out of memory in backward'; NULL: ok
  oom_phase text,                -- where memory ran out
  oom_requested_bytes real,      -- what was refused
  oom_in_use_bytes real,         -- what was allocated then
  oom_peak_bytes real,
  wall_ns real not null          -- the life of the process
) strict;
create index launch_of_cell on launch (cell);

-- Measured quantities; those with samples have their values in `sample`.
create table metric (
  launch integer not null,
  tag text not null,             -- the group: 'step', 'peak', 'profile'
  name text not null,            -- 'total', 'backward'
  unit text not null,            -- 'ns', 'B', 'B/s', 'flop/s', '1'; of texts empty
  samples integer not null,      -- 0: a single value
  value real,                    -- of a single number
  text text,                     -- of a text
  reason text,                   -- why there is no value
  primary key (launch, tag, name)
) strict, without rowid;

-- Every number of a metric, a single one as its only sample. Timed steps begin with the first step of the process.
create table sample (
  launch integer not null,
  tag text not null,
  name text not null,
  i integer not null,            -- from 0
  value real not null,
  primary key (launch, tag, name, i)
) strict, without rowid;

-- The circumstances of a launch: clocks, slowdowns, other processes.
create table condition (
  launch integer not null,
  tag text not null,
  name text not null,
  unit text not null,
  value real,
  text text,
  reason text,
  primary key (launch, tag, name)
) strict, without rowid;

create table warning (
  launch integer not null,
  i integer not null,
  text text not null,
  primary key (launch, i)
) strict, without rowid;

-- What follows are the tables that launches wrote; `i` is a row's place in its table, from 0.

-- Of one profiled step: what the kernels of one name did that one operation launched in one phase.
create table kernels (
  launch integer not null,
  i integer not null,
  phase text,                    -- 'forward', 'loss', 'backward', 'optimizer'
  module text,                   -- 'layers/attn/q_proj'; empty: outside of modules
  operation text,                -- the outermost ATen operator, or the range that was open
  operator text,                 -- the innermost ATen operator: 'aten::mm'
  class text,                    -- 'gemm', 'elementwise', 'reduction', 'copy', …
  kernel integer,                -- an id of `kernel_names`
  instances real,                -- launches of the kernel
  total_ns real,
  min_ns real,
  median_ns real,
  max_ns real,
  stddev_ns real,
  primary key (launch, i)
) strict, without rowid;

create table kernel_names (
  launch integer not null,
  i integer not null,
  id integer,
  name text,                     -- with its template arguments
  primary key (launch, i)
) strict, without rowid;
create index name_of_kernel on kernel_names (launch, id);

-- Each kernel of a profiled step in order of its start.
create table gpu_trace (
  launch integer not null,
  i integer not null,
  after_ns real,                 -- since the one before started
  duration_ns real,
  row integer,                   -- `i` in `kernels`
  block integer,                 -- of the Transformer, from 0; NULL: outside of blocks
  primary key (launch, i)
) strict, without rowid;

-- The allocator's events of one step, with the bytes that each category holds.
create table timeline (
  launch integer not null,
  i integer not null,
  event integer,
  time_ns real,
  phase text,
  parameters real,
  gradients real,
  optimizer real,
  data real,
  activations real,
  weight_copies real,
  workspace real,
  temporary real,
  unknown real,
  allocated real,
  primary key (launch, i)
) strict, without rowid;

-- The allocations of one step.
create table allocations (
  launch integer not null,
  i integer not null,
  id integer,
  bytes real,
  made integer,                  -- an event
  freed integer,                 -- an event; NULL: it outlives the step
  made_ns real,
  freed_ns real,
  phase text,
  freed_phase text,
  module text,
  operation text,
  operator text,
  category text,
  primary key (launch, i)
) strict, without rowid;

-- The largest allocations of one step; alike ones are one row.
create table largest (
  launch integer not null,
  i integer not null,
  bytes real,                    -- of one
  count real,
  module text,
  operation text,
  operator text,
  category text,
  freed text,                    -- when, in words
  layers text,                   -- '0–31'
  primary key (launch, i)
) strict, without rowid;

-- The allocations of one Transformer block.
create table block (
  launch integer not null,
  i integer not null,
  kind text,
  module text,
  operation text,
  operator text,
  category text,
  bytes real,
  count real,
  primary key (launch, i)
) strict, without rowid;

-- Memory while one Transformer block runs.
create table block_timeline (
  launch integer not null,
  i integer not null,
  event integer,
  time_ns real,
  phase text,
  module text,
  requested real,
  allocated real,
  primary key (launch, i)
) strict, without rowid;

-- Attention by itself, a row for each length.
create table attention (
  launch integer not null,
  i integer not null,
  length real,                   -- tokens
  outcome text,                  -- 'ok', 'out of memory', 'not offered', …
  phase text,                    -- where memory ran out
  reason text,
  forward_count real,
  forward_mean_ns real,
  forward_stddev_ns real,
  forward_min_ns real,
  forward_median_ns real,
  forward_max_ns real,
  backward_count real,
  backward_mean_ns real,
  backward_stddev_ns real,
  backward_min_ns real,
  backward_median_ns real,
  backward_max_ns real,
  end_to_end_count real,
  end_to_end_mean_ns real,
  end_to_end_stddev_ns real,
  end_to_end_min_ns real,
  end_to_end_median_ns real,
  end_to_end_max_ns real,
  input_bytes real,
  before_backward_bytes real,
  peak_bytes real,
  requested_bytes real,
  in_use_bytes real,
  primary key (launch, i)
) strict, without rowid;

-- The dtypes that autocast gives a small model, and what a Transformer's modules put out.
create table dtypes (
  launch integer not null,
  i integer not null,
  precision text,
  "group" text,                  -- 'parameter', 'output', 'gradient', …
  name text,
  dtype text,
  primary key (launch, i)
) strict, without rowid;

-- Layer normalization with statistics of lower precision; errors are relative to FP64.
create table layer_norm (
  launch integer not null,
  i integer not null,
  format text,
  method text,
  width real,
  scale_log2 real,
  mean_error real,
  square_error real,
  variance_error real,
  rstd_error real,
  output_error real,
  input_overflow real,
  square_overflow real,
  sum_overflow real,
  underflow real,
  primary key (launch, i)
) strict, without rowid;

-- All-reduce, a row for each size, method and rank; times are of one call.
create table all_reduce (
  launch integer not null,
  i integer not null,
  bytes real,
  method text,
  rank integer,
  count real,
  mean_ns real,
  stddev_ns real,
  min_ns real,
  median_ns real,
  max_ns real,
  lag_ns real,                   -- its start after the first rank's
  wrong real,                    -- elements that are not the sum
  primary key (launch, i)
) strict, without rowid;

-- What ranks hold while they train together.
create table held (
  launch integer not null,
  i integer not null,
  rank integer,
  step integer,                  -- from 1; 0: before the first
  point text,
  allocated_bytes real,
  peak_bytes real,               -- since the point before
  parameter_bytes real,
  gradient_bytes real,
  optimizer_bytes real,
  primary key (launch, i)
) strict, without rowid;

-- Gathers of sharded weights, of the rank that waited longest.
create table gathers (
  launch integer not null,
  i integer not null,
  layer integer,                 -- from 0
  module text,
  phase text,
  bytes real,
  wait_ns real,
  alone_ns real,                 -- one gather that nothing runs beside
  primary key (launch, i)
) strict, without rowid;

-- Data-parallel steps, a row for each rank.
create table rank_steps (
  launch integer not null,
  i integer not null,
  rank integer,
  count real,
  mean_ns real,
  stddev_ns real,
  min_ns real,
  median_ns real,
  max_ns real,
  lag_ns real,
  forward_ns real,
  loss_ns real,
  backward_ns real,
  exchange_ns real,
  optimizer_ns real,
  traced_ns real,                -- the step that was traced
  communication_ns real,         -- something was on its way
  both_ns real,                  -- and the rank computed meanwhile
  primary key (launch, i)
) strict, without rowid;

-- When rank 0 computed and communicated in its traced step.
create table lanes (
  launch integer not null,
  i integer not null,
  lane text,                     -- 'compute' or 'communication'
  phase text,
  start_ns real,
  duration_ns real,
  primary key (launch, i)
) strict, without rowid;

-- Each cell with the launch that stands for it.
create view measured as
select cell.*, launch, session, device, status, why
from cell join launch using (cell, run)
where represents;

-- The counted samples of timed steps and of their phases, in milliseconds.
create view step_ms as
select launch, tag, name, i, value / 1e6 as ms
from sample join launch using (launch) join cell using (cell)
where name <> 'device_allocations'
  and (tag = 'synced' or tag in ('step', 'event', 'enqueue') and (i >= warmup or kind in ('kernels', 'sharding')));

-- Kernels with their names.
create view kernel as
select kernels.*, name
from kernels left join kernel_names on kernel_names.launch = kernels.launch and id = kernel;
