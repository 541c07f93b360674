import "./settings.css";
import type { FunctionComponent, JSX } from "preact";
import type { Role } from "#domain/role.ts";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress, useFilters } from "../../url.ts";
import { Attribution } from "./attribution.tsx";
import { PayoutSettings } from "./payout-settings.tsx";
import { ProgramSettings } from "./program-settings.tsx";

interface Section {
  readonly path: string;
  readonly title: string;
  readonly role: Role;
  readonly part: FunctionComponent;
}

const waiting = <Skeleton lines={6} />;
const Integration = lazy(() => import("../setup/integration.tsx"), waiting);
const Keys = lazy(async () => ({ default: (await import("./keys/keys.tsx")).Keys }), waiting);
const CommissionPolicy = lazy(
  async () => ({ default: (await import("./commission-policy.tsx")).CommissionPolicy }),
  waiting,
);
const Risk = lazy(async () => ({ default: (await import("./risk.tsx")).Risk }), waiting);
const Members = lazy(async () => ({ default: (await import("./members.tsx")).Members }), waiting);
const Webhooks = lazy(() => import("./webhooks/webhooks.tsx"), waiting);
const Privacy = lazy(() => import("./privacy/privacy.tsx"), waiting);
const Audit = lazy(async () => ({ default: (await import("./audit.tsx")).Audit }), waiting);

const first: Section = { path: "program", title: "Program", role: "viewer", part: ProgramSettings };
const sections: readonly Section[] = [
  first,
  { path: "attribution", title: "Attribution", role: "viewer", part: Attribution },
  { path: "commission", title: "Commission", role: "viewer", part: CommissionPolicy },
  { path: "risk", title: "Risk", role: "viewer", part: Risk },
  { path: "payouts", title: "Payouts", role: "viewer", part: PayoutSettings },
  { path: "integration", title: "Integration", role: "viewer", part: Integration },
  { path: "keys", title: "API keys", role: "owner", part: Keys },
  { path: "webhooks", title: "Webhooks", role: "viewer", part: Webhooks },
  { path: "members", title: "Members", role: "owner", part: Members },
  { path: "privacy", title: "Privacy", role: "owner", part: Privacy },
  { path: "audit", title: "Audit trail", role: "admin", part: Audit },
];

export default function Settings(): JSX.Element {
  const { program, may } = useProgram();
  const [{ section }] = useFilters();
  const address = programAddress(program.id, "settings");
  const seen = sections.filter(({ role }) => may(role));
  const { path: current, title, role, part: Part } = sections.find(({ path }) => path === section) ?? first;
  return (
    <>
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <Tabs
        label="Settings"
        tabs={seen.map(({ path, title }) => ({
          href: path === first.path ? address : `${address}?section=${path}`,
          title,
          isCurrent: path === current,
        }))}
      />
      {may(role) ? (
        <Part />
      ) : (
        <div class="state">
          <h2>{title}</h2>
          <p class="soft">This section requires the {role} role. Ask an owner of the workspace.</p>
        </div>
      )}
    </>
  );
}
