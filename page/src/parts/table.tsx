// A table that can be sorted by its heads, and becomes a list of cards on a narrow screen.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  sort?: (row: Row) => number | string | null;
  number?: boolean;
  wide?: boolean;
  hint?: string;
}

export function Table<Row>({
  label,
  columns,
  rows,
  id,
  sorted,
  onSort,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  id: (row: Row) => string;
  sorted?: string;
  onSort?: (sorted: string) => void;
}) {
  const [own, setOwn] = useState("");
  const order = sorted ?? own;
  const setOrder = onSort ?? setOwn;
  const shown = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.head} column={column} order={order} onOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={id(row)}>
              {columns.map((column) => (
                <td key={column.head} data-head={column.head} class={kind(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function kind<Row>(column: Column<Row>): string {
  return [column.number ? "number" : "", column.wide ? "wide" : ""].join(" ").trim();
}

function Head<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>;
  order: string;
  onOrder: (order: string) => void;
}) {
  const [name, direction] = split(order);
  const here = name === column.head;
  const now = here ? (direction === "up" ? "ascending" : "descending") : undefined;
  if (!column.sort) {
    return (
      <th scope="col" class={kind(column)} title={column.hint}>
        {column.head}
      </th>
    );
  }
  const next = here && direction === "up" ? `${column.head}:down` : here ? "" : `${column.head}:up`;
  return (
    <th scope="col" class={kind(column)} aria-sort={now} title={column.hint}>
      <button type="button" onClick={() => onOrder(next)}>
        {column.head}
        <span aria-hidden="true">{here ? (direction === "up" ? " ↑" : " ↓") : ""}</span>
      </button>
    </th>
  );
}

function split(order: string): [string, string] {
  const at = order.lastIndexOf(":");
  return at < 0 ? ["", ""] : [order.slice(0, at), order.slice(at + 1)];
}

function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: string): readonly Row[] {
  const [name, direction] = split(order);
  const key = columns.find((column) => column.head === name)?.sort;
  if (!key) return rows;
  const turn = direction === "up" ? 1 : -1;
  return [...rows].sort((one, other) => turn * compare(key(one), key(other)));
}

function compare(one: number | string | null, other: number | string | null): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  return typeof one === "string" ? one.localeCompare(String(other)) : one - Number(other);
}
