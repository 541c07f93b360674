import type { JSX } from "preact";
import { useSignal } from "../../api/signal.ts";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { countText, type ToDo, toDo } from "../../shell/to-do.ts";
import { programAddress } from "../../url.ts";

/** Path of a section below `partners/`, in the place where a partner's page has the partner's id. */
export type SectionPath = "groups" | "coupons" | "bonuses" | "applications" | "claims" | "join";

export function Sections({ current }: { readonly current?: SectionPath }): JSX.Element {
  const { program } = useProgram();
  const address = programAddress(program.id, "partners");
  const waiting = useSignal(toDo);
  const withCount = (title: string, of: ToDo["kind"]): string => {
    const found = waiting?.programId === program.id ? waiting.items.find(({ kind }) => kind === of) : undefined;
    return found === undefined ? title : `${title} ${countText(found.count, found.hasMore)}`;
  };
  const sections = [
    [undefined, "All"],
    ["groups", "Groups"],
    ["coupons", "Coupons"],
    ["bonuses", withCount("Bonuses", "bonuses")],
    ["applications", withCount("Applications", "applications")],
    ["claims", withCount("Claims", "claims")],
    ["join", "Join page"],
  ] as const;
  return (
    <Tabs
      label="Sections of this page"
      tabs={sections.map(([path, title]) => ({
        href: path === undefined ? address : `${address}/${path}`,
        title,
        isCurrent: path === current,
      }))}
    />
  );
}
