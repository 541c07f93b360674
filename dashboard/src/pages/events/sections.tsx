import type { JSX } from "preact";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";
import { feedAddress } from "./feed/feed-address.ts";
import { requestsAddress } from "./requests/requests-address.ts";

export function Sections({ current }: { readonly current?: "customers" | "feed" | "requests" }): JSX.Element {
  const { program } = useProgram();
  return (
    <Tabs
      label="Sections of this page"
      tabs={[
        { href: programAddress(program.id, "events"), title: "Tracked", isCurrent: current === undefined },
        {
          href: programAddress(program.id, "events/customers"),
          title: "Customers",
          isCurrent: current === "customers",
        },
        { href: feedAddress(program.id), title: "Feed", isCurrent: current === "feed" },
        { href: requestsAddress(program.id), title: "Requests", isCurrent: current === "requests" },
      ]}
    />
  );
}
