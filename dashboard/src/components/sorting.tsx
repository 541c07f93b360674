import { useFilters } from "../url.ts";
import type { Column } from "./table.tsx";

export interface Sorting<Name extends string> {
  readonly sort: Name;
  readonly order: "asc" | "desc";
}

const ariaSorts = { asc: "ascending", desc: "descending" } as const;

/** Table heads that set `sort` and `order` in the URL; pressed again, a head reverses the order. */
export function useSorting<Name extends string>({ sort, order }: Sorting<Name>) {
  const [, setFilters] = useFilters();
  return <Row,>(name: Name, head: string): Pick<Column<Row>, "head" | "control" | "sort"> => {
    const isSorted = sort === name;
    const next = isSorted ? (order === "asc" ? "desc" : "asc") : undefined;
    return {
      head,
      sort: isSorted ? ariaSorts[order] : undefined,
      control: (
        <button type="button" class="sort" onClick={() => setFilters({ sort: name, order: next, page: undefined })}>
          {head} <span aria-hidden="true">{isSorted && (order === "asc" ? "↑" : "↓")}</span>
        </button>
      ),
    };
  };
}
