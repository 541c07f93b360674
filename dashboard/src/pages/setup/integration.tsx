import "./setup.css";
import type { JSX } from "preact";
import { type Readiness, useReadiness } from "../../api/readiness.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Code } from "../../components/copy.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Ago } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";
import { UnknownCodes } from "../partners/unknown-codes.tsx";
import { CodeTabs } from "./code-tabs.tsx";
import { CopyInstructions } from "./copy-instructions.tsx";
import ServiceTest from "./service-test.tsx";
import { forwardClick, scriptTag } from "./snippets.ts";
import { StateBadge } from "./state-badge.tsx";

/** The part of Setup that stays useful once the program is live. */
export default function Integration(): JSX.Element {
  const { program, isArchived, mayChange } = useProgram();
  const context = { base: location.origin, programId: program.id, currency: program.currency };
  return (
    <div class="settings">
      {!isArchived && <Status />}
      <Card title="Tracking script" actions={<GuideLink to="tracker" about="the tracking script" />}>
        <Code text={scriptTag(context)} what="script tag" />
        <p class="soft">Send the click ID with your sign-up form, in a hidden field:</p>
        <Code text={forwardClick} what="form script" />
      </Card>
      <Card title="Leads and sales" actions={<GuideLink to="integration" about="leads and sales" />}>
        <CodeTabs {...context} />
        <div class="row">
          <CopyInstructions />
        </div>
      </Card>
      <UnknownCodes />
      {mayChange("admin") && <ServiceTest />}
    </div>
  );
}

function Status(): JSX.Element {
  const { program } = useProgram();
  const readiness = useReadiness();
  return (
    <Card title="Status" actions={readiness.data && <StateBadge state={readiness.data.state} />}>
      <Loaded query={readiness} skeleton={<Skeleton lines={1} />}>
        {({ state, last_event_at }) => (
          <div class="row spread">
            <LastEvents at={last_event_at} />
            {state !== "live_verified" && (
              <ButtonLink href={programAddress(program.id, "setup")}>Continue setup</ButtonLink>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

const kinds = [
  ["click", "click"],
  ["lead", "lead"],
  ["sale", "sale"],
] as const;

const LastEvents = ({ at: last }: { readonly at: Readiness["last_event_at"] }): JSX.Element => (
  <p class="soft last-events">
    {kinds.map(([kind, title]) => {
      const at = last[kind];
      return at === null ? (
        <span key={kind}>No {title} yet</span>
      ) : (
        <span key={kind}>
          Last {title} <Ago at={at} />
        </span>
      );
    })}
  </p>
);
