import type { ComponentChildren, JSX } from "preact";
import type { Readiness } from "../../api/readiness.ts";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Code, CopyButton } from "../../components/copy.tsx";
import type { Guide } from "../../components/guide-link.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { Skeleton } from "../../components/states.tsx";
import { Ago } from "../../components/time.tsx";
import { LatePolicyForm } from "../../forms/late-policy-form.tsx";
import { PartnerForm } from "../../forms/partner-form.tsx";
import type { Policy } from "../../forms/policy.ts";
import { WebsiteForm } from "../../forms/website-form.tsx";
import { nameInText } from "../../named-by-code.ts";
import { useProgram } from "../../session.tsx";
import { programAddress, settingsAddress } from "../../url.ts";
import { BotClick } from "./bot-click.tsx";
import { CodeTabs } from "./code-tabs.tsx";
import { useLatestEvents, type usePartners } from "./queries.ts";
import { forwardClick, scriptTag } from "./snippets.ts";

const PolicyText = lazy(async () => ({ default: (await import("../../forms/policy-text.tsx")).PolicyText }), null);
const LiveCheck = lazy(async () => ({ default: (await import("./live-check.tsx")).LiveCheck }), <Skeleton lines={6} />);

type Partner = NonNullable<ReturnType<typeof usePartners>["data"]>[number];

interface SetupFacts {
  readonly program: ReturnType<typeof useProgram>;
  readonly readiness: Readiness;
  /** The program's partners, newest first. */
  readonly partners: readonly Partner[];
  /** The program's current policy. */
  readonly policy: Policy | undefined;
}

interface SetupStep {
  readonly id: string;
  readonly title: string;
  readonly isDone: boolean;
  readonly value?: ComponentChildren;
  readonly guide?: Guide;
  readonly content: (onDone: () => void) => JSX.Element;
}

const forAdmins = <p class="soft">Ask an owner or admin of the workspace to do this.</p>;

export function setupSteps({ program: inProgram, readiness, partners, policy }: SetupFacts): readonly SetupStep[] {
  const { program, may } = inProgram;
  const { gates, last_event_at: last } = readiness;
  const partner = partners.at(-1);
  const linked = partners.findLast(({ status, link }) => status === "active" && link !== null);
  const admins = (form: JSX.Element) => (may("admin") ? form : forAdmins);
  return [
    {
      id: "website",
      title: "Website",
      isDone: gates.profile.status === "pass",
      value: program.websiteUrl,
      content: (onDone) => admins(<WebsiteForm onDone={onDone} />),
    },
    {
      id: "commission",
      title: "Commission",
      isDone: gates.economics.status === "pass",
      value: policy === undefined ? "Set for each partner" : <PolicyText policy={policy} />,
      guide: "money",
      content: (onDone) => admins(<LatePolicyForm current={policy} onDone={onDone} />),
    },
    ...(gates.payout.status === "pass"
      ? []
      : [
          {
            id: "payout",
            title: "How partners are paid",
            isDone: false,
            content: (onDone: () => void) => admins(<PayoutMode onDone={onDone} />),
          },
        ]),
    {
      id: "partner",
      title: "First partner",
      isDone: partner !== undefined,
      value: partner && `${nameInText(partner.name)}${partner.link === null ? "" : ` · ${partner.link}`}`,
      guide: "attribution",
      content: (onDone) =>
        partner === undefined ? admins(<PartnerForm onDone={onDone} />) : <FirstPartner partner={partner} />,
    },
    {
      id: "key",
      title: "API key",
      isDone: true,
      value: may("owner") ? program.apiKeys?.find(({ book }) => book === "both")?.masked : "Visible to owners",
      guide: "keys",
      content: () => <Key />,
    },
    {
      id: "script",
      title: "Tracking script",
      isDone: gates.tracking.status === "pass",
      value: last.click === null ? "Detected" : lastAt("click", last.click),
      guide: "tracker",
      content: (onDone) => <Script detail={gates.tracking.detail} onDone={onDone} />,
    },
    {
      id: "calls",
      title: "Leads and sales",
      isDone: last.lead !== null && last.sale !== null,
      value: last.sale === null ? undefined : lastAt("sale", last.sale),
      guide: "integration",
      content: (onDone) => <ServerCalls onDone={onDone} />,
    },
    {
      id: "check",
      title: "Check your integration",
      isDone: last.click !== null && last.lead !== null && last.sale !== null,
      value: "Click, lead and sale received",
      guide: "going-live",
      content: (onDone) => <LiveCheck link={linked?.link ?? null} lastEventAt={last} onDone={onDone} />,
    },
  ];
}

const lastAt = (what: string, at: string) => (
  <>
    Last {what} <Ago at={at} />
  </>
);

function Key(): JSX.Element {
  const { program, may } = useProgram();
  const use = "Your server sends an API key with every call.";
  return may("owner") ? (
    <div class="row spread">
      <p class="soft">{use}</p>
      <ButtonLink href={settingsAddress(program.id, "keys")}>Manage API keys</ButtonLink>
    </div>
  ) : (
    <p class="soft">{use} Ask an owner for it.</p>
  );
}

function FirstPartner({ partner }: { readonly partner: Partner }): JSX.Element {
  const { program } = useProgram();
  return (
    <div class="row spread">
      <p>
        {nameInText(partner.name)}{" "}
        <span class="soft breakable">{partner.link ?? "gets a link once you set the website."}</span>
      </p>
      <div class="row">
        {partner.link !== null && <CopyButton text={partner.link} what="link" />}
        <ButtonLink href={programAddress(program.id, "partners")}>Manage partners</ButtonLink>
      </div>
    </div>
  );
}

interface Continued {
  readonly onDone: () => void;
}

const tracked = {
  receiving_events: "Real clicks are arriving.",
  tracker_installed: "The script was detected through a test click.",
} as const;

function Script({ detail, onDone }: Continued & { readonly detail: keyof typeof tracked | null }): JSX.Element {
  const { program } = useProgram();
  const tag = scriptTag({ base: location.origin, programId: program.id, currency: program.currency });
  return (
    <>
      <p class="soft">
        Add this to the {"<head>"} of every page visitors can land on. It remembers which partner sent them.
      </p>
      <Code text={tag} what="script tag" />
      <p class="soft">
        For visitors whose browser sends Global Privacy Control, clicks store only what is needed to credit the partner.
      </p>
      <p class="soft">Send the click ID with your sign-up form, in a hidden field:</p>
      <Code text={forwardClick} what="form script" />
      <Notice look={detail === null ? "plain" : "good"}>
        {detail === null ? <WaitingForClick /> : tracked[detail]}
      </Notice>
      <Continue onDone={onDone} />
    </>
  );
}

function WaitingForClick(): JSX.Element {
  const { data } = useLatestEvents();
  return (
    <BotClick
      at={data?.botClick?.timestamp}
      otherwise="Waiting for the first click. Open your site through a partner's link, and it appears here."
    />
  );
}

function ServerCalls({ onDone }: Continued): JSX.Element {
  const { program } = useProgram();
  return (
    <>
      <p class="soft">
        Report each sign-up (lead), payment and refund from your server, always with the same customer ID. Events sent
        twice count once.
      </p>
      <CodeTabs base={location.origin} programId={program.id} currency={program.currency} />
      {program.leadAuth === "browser_allowed" && (
        <p class="soft">
          Browsers can also report leads, so your customer IDs must not be guessable. Once your server reports leads,
          set “Accept leads from” to “Server only” in{" "}
          <a href={settingsAddress(program.id, "attribution")}>Settings › Attribution</a>.
        </p>
      )}
      <Continue onDone={onDone} />
    </>
  );
}

const Continue = ({ onDone }: Continued): JSX.Element => (
  <div class="row">
    <Button look="primary" onClick={onDone}>
      Continue
    </Button>
  </div>
);

function PayoutMode({ onDone }: Continued): JSX.Element {
  const set = useUpdateProgram(() => ({ payoutMode: "manual" }), { failsIn: "toast", done: "Saved.", onDone });
  return (
    <div class="row">
      <p class="soft">You pay partners yourself, based on their commissions.</p>
      <Button isPending={set.isPending} onClick={() => set.run(undefined)}>
        Pay manually
      </Button>
    </div>
  );
}
