import type { JSX } from "preact";
import { useSignal } from "../../api/signal.ts";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { countText, toDo } from "../../shell/to-do.ts";
import { programAddress } from "../../url.ts";

/** Path of a section below `partners/`, in the place where a partner's page has the partner's id. */
export type SectionPath = "groups" | "coupons" | "bonuses" | "applications" | "join";

export function Sections({ current }: { readonly current?: SectionPath }): JSX.Element {
  const { program } = useProgram();
  const address = programAddress(program.id, "partners");
  const waiting = useSignal(toDo);
  const waitingText = (wanted: "applications" | "bonuses"): string => {
    const item = waiting?.programId === program.id ? waiting.items.find(({ kind }) => kind === wanted) : undefined;
    return item === undefined ? "" : ` ${countText(item.count, item.hasMore)}`;
  };
  const sections = [
    [undefined, "All"],
    ["groups", "Groups"],
    ["coupons", "Coupons"],
    ["bonuses", `Bonuses${waitingText("bonuses")}`],
    ["applications", `Applications${waitingText("applications")}`],
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
