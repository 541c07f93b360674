import type { JSX } from "preact";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";

/** Path of a section below `partners/`, in the place where a partner's page has the partner's id. */
export type SectionPath = "groups" | "coupons" | "applications" | "join";

export function Sections({ current }: { readonly current?: SectionPath }): JSX.Element {
  const { program } = useProgram();
  const address = programAddress(program.id, "partners");
  const sections = [
    [undefined, "All"],
    ["groups", "Groups"],
    ["coupons", "Coupons"],
    ["applications", "Applications"],
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
