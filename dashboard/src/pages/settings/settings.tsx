import "./settings.css";
import type { FunctionComponent, JSX } from "preact";
import { useId } from "preact/hooks";
import type { Role } from "#domain/role.ts";
import { lazy } from "../../components/lazy.tsx";
import { scrollToCurrent } from "../../components/scroll-to-current.ts";
import { Skeleton } from "../../components/states.tsx";
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
const Offer = lazy(async () => ({ default: (await import("../../forms/offer-form.tsx")).OfferSetting }), waiting);
const Units = lazy(async () => ({ default: (await import("./units.tsx")).Units }), waiting);
const Risk = lazy(async () => ({ default: (await import("./risk.tsx")).Risk }), waiting);
const Members = lazy(async () => ({ default: (await import("./members.tsx")).Members }), waiting);
const EmbedSettings = lazy(async () => ({ default: (await import("./embed.tsx")).EmbedSettings }), waiting);
const Webhooks = lazy(() => import("./webhooks/webhooks.tsx"), waiting);
const Mail = lazy(async () => ({ default: (await import("./mail.tsx")).Mail }), waiting);
const Privacy = lazy(() => import("./privacy/privacy.tsx"), waiting);
const Audit = lazy(async () => ({ default: (await import("./audit.tsx")).Audit }), waiting);

const CustomerOffer = (): JSX.Element => (
  <div class="settings">
    <Offer />
  </div>
);

const first: Section = { path: "program", title: "Program", role: "viewer", part: ProgramSettings };

interface Group {
  readonly title: string;
  readonly sections: readonly Section[];
}

const groups: readonly Group[] = [
  {
    title: "General",
    sections: [
      first,
      { path: "mail", title: "Mail", role: "viewer", part: Mail },
      { path: "privacy", title: "Privacy", role: "owner", part: Privacy },
      { path: "audit", title: "Audit trail", role: "admin", part: Audit },
    ],
  },
  {
    title: "Tracking",
    sections: [
      { path: "attribution", title: "Attribution", role: "viewer", part: Attribution },
      { path: "integration", title: "Integration", role: "viewer", part: Integration },
      { path: "embed", title: "Referral page", role: "owner", part: EmbedSettings },
      { path: "webhooks", title: "Webhooks", role: "viewer", part: Webhooks },
    ],
  },
  {
    title: "Money",
    sections: [
      { path: "commission", title: "Commission", role: "viewer", part: CommissionPolicy },
      { path: "offer", title: "Customer offer", role: "viewer", part: CustomerOffer },
      { path: "units", title: "Units", role: "viewer", part: Units },
      { path: "risk", title: "Risk", role: "viewer", part: Risk },
      { path: "payouts", title: "Payouts", role: "viewer", part: PayoutSettings },
    ],
  },
  {
    title: "Access",
    sections: [
      { path: "members", title: "Members", role: "owner", part: Members },
      { path: "keys", title: "API keys", role: "owner", part: Keys },
    ],
  },
];

const sections = groups.flatMap((group) => group.sections);

export default function Settings(): JSX.Element {
  const { program, may } = useProgram();
  const [{ section }] = useFilters();
  const address = programAddress(program.id, "settings");
  const { path: current, title, role, part: Part } = sections.find(({ path }) => path === section) ?? first;
  return (
    <>
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <div class="settings-page">
        <nav class="tabs grouped" aria-label="Settings">
          {groups.map((group) => (
            <TabGroup key={group.title} group={group} address={address} current={current} />
          ))}
        </nav>
        {may(role) ? (
          <Part />
        ) : (
          <div class="state">
            <h2>{title}</h2>
            <p class="soft">This section requires the {role} role. Ask an owner of the workspace.</p>
          </div>
        )}
      </div>
    </>
  );
}

interface TabGroupProps {
  readonly group: Group;
  readonly address: string;
  /** The current section's path. */
  readonly current: string;
}

/** Tabs of a group of sections. Shows nothing if the user's role sees none of them. */
function TabGroup({ group, address, current }: TabGroupProps): JSX.Element | null {
  const { may } = useProgram();
  const id = useId();
  const seen = group.sections.filter(({ role }) => may(role));
  if (seen.length === 0) return null;
  return (
    <div class="tab-group">
      <p id={id}>{group.title}</p>
      <ul aria-labelledby={id}>
        {seen.map(({ path, title }) => {
          const isCurrent = path === current;
          return (
            <li key={path}>
              <a
                href={path === first.path ? address : `${address}?section=${path}`}
                aria-current={isCurrent ? "page" : undefined}
                ref={isCurrent ? scrollToCurrent : null}
              >
                {title}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
