// What the server's JSON routes answer, as far as the page uses it. The OpenAPI description has it all.

export interface LastPush {
  at: string;
  mode: string;
  reason: string;
  changed_rows: number;
  result_rows: number;
  seconds: number;
  predicted_seconds: number;
  error: string;
}

export interface ViewStatus {
  name: string;
  time: string | null;
  staleness_s: number | null;
  freshness_s: number;
  violations: number;
  rows: number;
  pushes: number;
  dollars: number;
  cpu_seconds: number;
  refresh: string;
  last_push: LastPush | null;
  error: string;
  site: string;
  owner: string;
}

export interface WaitingFile {
  file: string;
  reason: string;
  since: string;
  failures: number;
}

export interface SourceStatus {
  name: string;
  provider: string;
  time: string | null;
  changes: number;
  error: string;
  waiting: WaitingFile[];
  rows: number;
  rate_per_s: number | null;
  lag_s: number | null;
  rejected: number;
  detail: string;
  next: string;
  rejected_share: number;
}

export interface SlotLag {
  database: string;
  slot: string | null;
  tables: string[];
  lag_bytes: number | null;
  retained_bytes: number | null;
  lag_seconds: number | null;
  max_lag_bytes: number | null;
  active: boolean | null;
  error: string;
}

export interface SiteHealth {
  site: string;
  alive: boolean;
  since: string;
  last_seen: string | null;
  error: string;
}

export interface UpdateTable {
  name: string;
  policy: string;
  keys?: number;
  waiting: number;
  superseded: number;
  staleness?: { mean_s: number | null; p99_s: number | null; worst: StaleKey[]; distribution: StalenessBand[] };
  choosing?: boolean;
  why?: string;
  weight?: number;
  share?: number | null;
}

export interface StalenessBand {
  up_to_s: number;
  keys: number;
}

export interface StaleKey {
  key: Record<string, unknown>;
  staleness_s: number;
  updates: number;
}

export interface AdaptedJoin {
  view: string;
  share_of_matches: number;
  measured: boolean;
  stale_results: number;
  late_rows: number;
  allowances: StreamAllowance[];
  freshness_share: number;
  choosing: boolean;
  exact_since: string | null;
  adaptations: Adaptation[];
  weight: number;
  share: number | null;
}

export interface StreamAllowance {
  stream: string;
  arrived: number;
  probed: number;
  allowance: number | null;
}

export interface Adaptation {
  at: string;
  event: string;
  share_of_matches: number;
  reason: string;
}

export interface Status {
  project: string;
  at: string;
  problem: string;
  running: { pid?: number; since?: string | number; [field: string]: unknown } | null;
  views: ViewStatus[];
  sources: SourceStatus[];
  slots: SlotLag[];
  sites: SiteHealth[];
  tables?: UpdateTable[];
  joins?: AdaptedJoin[];
}

export interface ViewInfo {
  name: string;
  columns: { name: string; type: string }[];
  freshness_s: number;
  time: string | null;
  owner: string;
  site: string;
  refresh: string;
  obstacles: string[];
  reads: string[];
  sql: string;
}

export interface Curve {
  view: string;
  freshness_s: number;
  at: number[];
  staleness_s: (number | null)[];
  violations: number[];
  pushes: number;
}

export interface Curves {
  since: string;
  until: string;
  views: Curve[];
}

export interface Push {
  at: string;
  view: string;
  stage: string;
  mode: string;
  reason: string;
  changed_rows: number;
  scanned_rows: number;
  result_rows: number;
  seconds: number;
  predicted_seconds: number;
  cpu_seconds: number;
  attempt: number;
  error: string;
  serves: string | string[];
  site: string;
  trace: string;
}

export interface Difference {
  row: Record<string, unknown>;
  count: number;
}

export interface Verification {
  view: string;
  state: "never" | "asked" | "running" | "done" | "failed" | "interrupted";
  begun_at?: string;
  equal?: boolean | null;
  not_compared?: string;
  time?: string;
  rows?: number;
  missing_rows?: number;
  extra_rows?: number;
  missing?: Difference[];
  extra?: Difference[];
  rejected?: Record<string, number>;
  seconds?: number;
  cpu_seconds?: number;
  error?: string;
}

export interface Work {
  stage: string;
  site: string;
  mode: string;
  reads: string[];
  serves: string[];
  changed_rows: number;
  scanned_rows: number;
  result_rows: number;
  seconds: number;
}

export interface Action {
  step: number;
  spark: string;
  stages: string[];
  seconds: number;
  every_s: number;
  dollars_per_hour: number;
  works: Work[];
}

export interface PlannedView {
  name: string;
  admitted: boolean;
  reason: string;
  critical_path_s: number;
  freshness_s: number;
  smallest_freshness_s: number | null;
  dollars_per_hour: number | null;
  dollars_per_hour_alone: number | null;
  pushes_per_hour: number;
  chosen: string;
  why: string;
  refresh: string;
  site: string;
  asked: boolean;
  obstacles: { reason: string; place: { path: string; line: number; column: number } | null }[];
  path: { action: number; stage: string; from: string[]; site: string; mode: string; seconds: number }[];
  pushes?: { stage: string; changed: string; plan: string }[];
}

export interface Tree {
  site?: string;
  table?: string;
  views?: string[];
  edge_rate?: number | null;
  overlap?: number | null;
  [field: string]: unknown;
}

export interface Plan {
  project: string;
  views: PlannedView[];
  sources: { name: string; rows: number; rate_per_second: number; bytes_per_row: number }[];
  shared: {
    vertices: number;
    edges: number;
    vertices_before: number;
    edges_before: number;
    dollars_per_hour_before: number;
    dollars_per_hour: number;
    steps: { kind: string; text: string; dollars_per_hour_saved: number }[];
  };
  actions: Action[];
  push_s: number;
  asked: {
    views: string[];
    marginal_dollars_per_hour: number;
    others: {
      view: string;
      critical_path_s_before: number;
      critical_path_s: number;
      dollars_per_hour_before: number;
      dollars_per_hour: number;
    }[];
  };
  busy_cores: number;
  trees?: Tree[];
  graph: Graph;
}

export interface Costs {
  dollars: number;
  resource_dollars: number;
  cpu_dollars: number;
  network_dollars: number;
  storage_dollars: number;
  penalty_dollars: number;
  cpu_seconds: number;
  gb_copied: number;
  late_rows: number;
  violations: number;
  view_hours: number;
  dollars_per_view_hour: number | null;
}

export type BillLine = Costs & { view?: string; owner?: string; site?: string; process?: string };

export interface Bill {
  project: string;
  since: string;
  until: string;
  by: string;
  lines: BillLine[];
  total: Costs;
  unattributed: Costs;
  total_with_unattributed: Costs;
  processes: { process: string; cpu_seconds: number }[];
  not_included?: unknown;
}

export interface Place {
  path: string;
  line: number;
  column: number;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  message: string;
  hint: string;
  place: (Place & { length?: number }) | null;
}

export interface Session {
  project: string;
  folder: string;
  version: string;
  role: "look" | "query" | "change";
  keys: boolean;
  example: string;
}

export interface Period {
  name: string;
  freshness_s: number;
  worst_staleness_s: number | null;
  mean_staleness_s?: number | null;
  pushes: number;
  violations: number;
  dollars: number;
}

export interface GraphNode {
  name: string;
  kind: "source" | "stage" | "view";
  site: string;
  serves: string[];
  mode?: string;
  seconds?: number;
  changed_rows?: number;
  result_rows?: number;
  action?: number;
  stored_rows?: number;
  stored_bytes?: number;
}

export interface Graph {
  nodes: GraphNode[];
  edges: { from: string; to: string }[];
}

export interface DeadLetter {
  time: string;
  table: string;
  file: string | null;
  line: number;
  record: string;
  reason: string;
  count: number;
}

export interface CheckedQuery {
  name: string;
  sql?: string;
  level: string;
  operations: number | string | null;
  rows_read?: number | string | null;
  results: number | string | null;
  indexes: { table: string; columns: string[]; include?: string[] }[];
  views: unknown[];
  rewritten?: string | null;
  reasons: ({ text: string; place?: Place | null } | string)[];
  advice: ({ text: string; level?: string } | string)[];
  assumptions?: unknown[];
  parameters?: { name: string; type?: string; list?: boolean }[];
  [field: string]: unknown;
}
