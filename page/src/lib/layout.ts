// Where the boxes and arrows of a plan stand: dagre's layers from left to right, each site in a frame of its own.
import dagre from "@dagrejs/dagre";
import type { Graph, GraphNode } from "./types";

export interface Box {
  node: GraphNode;
  x: number; // the left upper corner
  y: number;
  width: number;
  height: number;
}

export interface Arrow {
  from: string;
  to: string;
  path: string;
}

export interface Frame {
  site: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  boxes: Box[];
  arrows: Arrow[];
  frames: Frame[];
  width: number;
  height: number;
}

const HEIGHT = 30;
const CHARACTER = 7.2;
export const LONGEST = 34; // characters of a name that are shown

export function shortName(name: string): string {
  const plain = name.replace(/~([0-9a-f]{3})[0-9a-f]*$/, " ~$1");
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 8)} … ${plain.slice(-5)}` : plain;
}

export function layOut(graph: Graph): Layout {
  const sites = [...new Set(graph.nodes.map((node) => node.site))].sort();
  const made = new dagre.graphlib.Graph({ compound: true });
  made.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 56, marginx: 16, marginy: 16 });
  made.setDefaultEdgeLabel(() => ({}));
  if (sites.length > 1) sites.forEach((site) => made.setNode(`site:${site}`, {}));
  for (const node of graph.nodes) {
    made.setNode(node.name, { width: shortName(node.name).length * CHARACTER + 24, height: HEIGHT });
    if (sites.length > 1) made.setParent(node.name, `site:${node.site}`);
  }
  for (const edge of graph.edges) made.setEdge(edge.from, edge.to);
  dagre.layout(made);
  const boxes = graph.nodes.map((node) => ({ node, ...corner(made.node(node.name)) }));
  const arrows = graph.edges.map((edge) => ({ ...edge, path: curve(made.edge(edge.from, edge.to).points ?? []) }));
  const frames = sites.length > 1 ? sites.map((site) => ({ site, ...corner(made.node(`site:${site}`)) })) : [];
  const size = made.graph();
  return { boxes, arrows, frames, width: size.width ?? 0, height: size.height ?? 0 };
}

interface Centred {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

function corner({ x = 0, y = 0, width = 0, height = 0 }: Centred): Omit<Frame, "site"> {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  let before = first;
  for (const point of rest) {
    const middle = (before.x + point.x) / 2;
    path += ` C${middle.toFixed(1)} ${before.y.toFixed(1)} ${middle.toFixed(1)} ${point.y.toFixed(1)} ${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    before = point;
  }
  return path;
}

// Everything that a name is computed from, and everything computed from it.
export function related(graph: Graph, name: string): ReadonlySet<string> {
  const all = new Set<string>([name]);
  const walk = (start: string, next: (at: string) => string[]) => {
    const seen = new Set<string>([start]);
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const other of next(at)) {
        if (!seen.has(other)) {
          seen.add(other);
          all.add(other);
          open.push(other);
        }
      }
    }
  };
  walk(name, (at) => graph.edges.filter((edge) => edge.to === at).map((edge) => edge.from));
  walk(name, (at) => graph.edges.filter((edge) => edge.from === at).map((edge) => edge.to));
  return all;
}

// The chain of stages, from a source to a view, that takes the most seconds of a push.
export function criticalPath(graph: Graph, view: string): readonly string[] {
  const seconds = new Map(graph.nodes.map((node) => [node.name, node.seconds ?? 0]));
  const longest = new Map<string, { seconds: number; chain: string[] }>();
  const upTo = (name: string): { seconds: number; chain: string[] } => {
    const known = longest.get(name);
    if (known) return known;
    const before = graph.edges.filter((edge) => edge.to === name).map((edge) => upTo(edge.from));
    const worst = before.reduce((most, other) => (other.seconds > most.seconds ? other : most), before[0] ?? { seconds: 0, chain: [] });
    const path = { seconds: worst.seconds + (seconds.get(name) ?? 0), chain: [...worst.chain, name] };
    longest.set(name, path);
    return path;
  };
  return seconds.has(view) ? upTo(view).chain : [];
}
