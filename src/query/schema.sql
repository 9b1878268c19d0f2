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

{{cell}}

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
  oom_reserved_bytes real,       -- what PyTorch held then, allocated or free
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

{{measured}}

create index name_of_kernel on kernel_names (launch, id);

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

{{fits}}
