// A drawing that can be moved and enlarged: by wheel, by dragging, by two fingers, by the keys + - 0 and the arrows.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Window {
  x: number;
  y: number;
  width: number;
  height: number;
}

const SMALLEST = 0.05;
const LARGEST = 4;

export function PanZoom({
  width,
  height,
  label,
  children,
}: {
  width: number;
  height: number;
  label: string;
  children: ComponentChildren;
}) {
  const place = useRef<SVGSVGElement>(null);
  const [shown, setShown] = useState<Window | null>(null);
  const fit = () => place.current && setShown(whole(place.current, width, height));
  useEffect(() => {
    fit();
    const watch = new ResizeObserver(fit);
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, [width, height]);
  useEffect(() => {
    const svg = place.current!;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== svg) return; // let the page scroll
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
      setShown((old) => old && zoomed(old, Math.exp(event.deltaY * 0.0015), x, y, box.width));
    };
    svg.addEventListener("wheel", wheel, { passive: false });
    return () => svg.removeEventListener("wheel", wheel);
  }, []);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const move = (event: PointerEvent) => {
    const before = fingers.current.get(event.pointerId);
    if (!before || !shown) return;
    const box = place.current!.getBoundingClientRect();
    const scale = shown.width / box.width;
    const others = [...fingers.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const after = { x: event.clientX, y: event.clientY };
    fingers.current.set(event.pointerId, after);
    if (others[0]) {
      const ratio = distance(before, others[0]) / Math.max(1, distance(after, others[0]));
      const [x, y] = [(others[0].x - box.left) / box.width, (others[0].y - box.top) / box.height];
      setShown(zoomed(shown, ratio, x, y, box.width));
    } else {
      setShown({ ...shown, x: shown.x - (after.x - before.x) * scale, y: shown.y - (after.y - before.y) * scale });
    }
  };
  const release = (event: PointerEvent) => fingers.current.delete(event.pointerId);
  const key = (event: KeyboardEvent) => {
    if (!shown || event.target !== place.current) return;
    const step = shown.width / 10;
    const pixels = place.current!.clientWidth;
    const next: Record<string, () => Window> = {
      "+": () => zoomed(shown, 0.8, 0.5, 0.5, pixels),
      "=": () => zoomed(shown, 0.8, 0.5, 0.5, pixels),
      "-": () => zoomed(shown, 1.25, 0.5, 0.5, pixels),
      "0": () => whole(place.current!, width, height),
      ArrowLeft: () => ({ ...shown, x: shown.x - step }),
      ArrowRight: () => ({ ...shown, x: shown.x + step }),
      ArrowUp: () => ({ ...shown, y: shown.y - step }),
      ArrowDown: () => ({ ...shown, y: shown.y + step }),
    };
    const change = next[event.key];
    if (change) {
      event.preventDefault();
      setShown(change());
    }
  };
  const by = (factor: number) => () => shown && setShown(zoomed(shown, factor, 0.5, 0.5, place.current!.clientWidth));
  return (
    <div class="pan-zoom">
      <div class="zoom-buttons">
        <button type="button" aria-label="Larger" onClick={by(0.7)}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={by(1.4)}>
          −
        </button>
        <button type="button" onClick={fit}>
          all
        </button>
      </div>
      <svg
        ref={place}
        style={{ height: `${Math.round(Math.min(640, Math.max(240, height + 60)))}px` }}
        tabIndex={0}
        role="group"
        aria-label={`${label} Keys + and - change its size, arrows move it, 0 shows all.`}
        viewBox={shown ? `${shown.x} ${shown.y} ${shown.width} ${shown.height}` : `0 0 ${width} ${height}`}
        onPointerDown={(event) => {
          fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onPointerLeave={release}
        onKeyDown={key}
      >
        {children}
      </svg>
    </div>
  );
}

function distance(one: { x: number; y: number }, other: { x: number; y: number }): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

// Everything, not larger than it was drawn.
function whole(svg: SVGSVGElement, width: number, height: number): Window {
  const [across, down] = [svg.clientWidth || 1, svg.clientHeight || 1];
  const scale = Math.min(1.25, across / Math.max(1, width), down / Math.max(1, height));
  const shown = { width: across / scale, height: down / scale };
  return { ...shown, x: (width - shown.width) / 2, y: (height - shown.height) / 2 };
}

function zoomed(old: Window, factor: number, x: number, y: number, pixels: number): Window {
  const width = Math.min(pixels / SMALLEST, Math.max(pixels / LARGEST, old.width * factor));
  const height = old.height * (width / old.width);
  return { width, height, x: old.x + (old.width - width) * x, y: old.y + (old.height - height) * y };
}
