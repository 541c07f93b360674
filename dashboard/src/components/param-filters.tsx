import type { ComponentProps, JSX } from "preact";
import { useFilters } from "../url.ts";
import { DayFilter, SelectFilter } from "./filters.tsx";

/** A filter whose value is the query parameter `name`. */
interface OfParam {
  readonly name: string;
}

export function SelectParam({
  name,
  ...filter
}: OfParam & Pick<ComponentProps<typeof SelectFilter>, "label" | "options">): JSX.Element {
  const [{ [name]: value = "" }, setFilters] = useFilters();
  return <SelectFilter {...filter} value={value} onChoose={(chosen) => setFilters({ [name]: chosen })} />;
}

export function DayParam({ name, label }: OfParam & { readonly label: string }): JSX.Element {
  const [{ [name]: value = "" }, setFilters] = useFilters();
  return <DayFilter label={label} value={value} onChoose={(day, history) => setFilters({ [name]: day }, history)} />;
}
