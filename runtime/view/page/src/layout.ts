// Where the nodes of a graph are drawn: dagre, in a worker, so that the page goes on
// meanwhile. The worker runs the page's own script.

import { graphlib, layout as placeNodes } from "@dagrejs/dagre";

export interface Box {
  id: string;
  width: number;
  height: number;
  cluster?: string | undefined;
}

export interface Cluster {
  id: string;
  parent?: string | undefined;
}

export interface Link {
  from: string;
  to: string;
  labelWidth: number;
  weight: number; // Of being short and straight.
}

export interface GraphToPlace {
  boxes: Box[];
  clusters: Cluster[];
  links: Link[];
}

export interface Placed {
  x: number; // The middle.
  y: number;
  width: number;
  height: number;
}

export interface PlacedLink {
  points: { x: number; y: number }[];
  x: number; // The middle of the label.
  y: number;
}

export interface PlacedGraph {
  width: number;
  height: number;
  boxes: Placed[];
  clusters: Placed[];
  links: PlacedLink[];
}

const labelHeight = 14;

export function place({ boxes, clusters, links }: GraphToPlace): PlacedGraph {
  const graph = new graphlib.Graph({ compound: true, multigraph: false, directed: true });
  graph.setGraph({ rankdir: "TB", nodesep: 28, edgesep: 14, ranksep: 34, marginx: 24, marginy: 24 });
  for (const { id } of clusters) graph.setNode(id, {});
  for (const { id, parent } of clusters) if (parent !== undefined) graph.setParent(id, parent);
  for (const { id, width, height, cluster } of boxes) {
    graph.setNode(id, { width, height });
    if (cluster !== undefined) graph.setParent(id, cluster);
  }
  for (const { from, to, labelWidth, weight } of links)
    graph.setEdge(from, to, { width: labelWidth, height: labelHeight, labelpos: "c", minlen: 1, weight });
  placeNodes(graph);
  const { width, height } = graph.graph() as { width: number; height: number };
  const placed = (id: string) => ({ ...(graph.node(id) as Placed) });
  return {
    width,
    height,
    boxes: boxes.map(({ id }) => placed(id)),
    clusters: clusters.map(({ id }) => placed(id)),
    links: links.map(({ from, to }) => ({ ...(graph.edge(from, to) as PlacedLink) })),
  };
}

/** In the worker: answers with where things are. */
export function serve(): void {
  addEventListener("message", (event: MessageEvent<GraphToPlace>) => postMessage(place(event.data)));
}

let worker: Worker | undefined;

/** Places a graph. A newer request ends an older one, which then never answers. */
export function placeAside(graph: GraphToPlace): Promise<PlacedGraph> {
  worker?.terminate();
  worker = undefined;
  try {
    const script = document.getElementById("app")!.textContent!;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    worker = new Worker(address);
    URL.revokeObjectURL(address);
  } catch {
    return Promise.resolve(place(graph)); // A frame may be denied workers.
  }
  const own = worker;
  return new Promise((resolve) => {
    own.onmessage = (event: MessageEvent<PlacedGraph>) => resolve(event.data);
    own.onerror = (event) => {
      event.preventDefault();
      resolve(place(graph));
    };
    own.postMessage(graph);
  });
}
