import type { JSX } from "preact";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { CheckIcon } from "../../components/icons.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Ago } from "../../components/time.tsx";
import { type Readiness, useStatus } from "./queries.ts";

const gates = [
  ["profile", "Name and website"],
  ["economics", "Commission"],
  ["payout", "How partners are paid"],
  ["tracking", "Tracking script on your site"],
  ["live", "A sale tracked from click to commission"],
] as const;

const states: Readonly<Record<Readiness["state"], readonly [tone: Tone, word: string]>> = {
  draft: ["plain", "Draft"],
  configuring: ["warn", "In setup"],
  ready: ["accent", "Ready to verify"],
  integration_verified: ["good", "Verified"],
  live_verified: ["good", "Live"],
};

export const StateBadge = ({ state }: { readonly state: Readiness["state"] }): JSX.Element => {
  const [tone, word] = states[state];
  return <Badge tone={tone}>{word}</Badge>;
};

export const Checklist = ({ readiness }: { readonly readiness: Readiness }): JSX.Element => (
  <aside class="checklist stack" aria-label="Checklist">
    <Card title="Go-live checklist">
      <ul class="checks">
        {gates.map(([gate, title]) => (
          <Check key={gate} isDone={readiness.gates[gate].status === "pass"} isNext={readiness.blocker === gate}>
            {title}
          </Check>
        ))}
      </ul>
    </Card>
    <Arrived pollSeconds={readiness.poll.retry_after_seconds} />
  </aside>
);

const kinds = [
  ["pageview", "Click"],
  ["referrals", "Lead"],
  ["payments", "Sale"],
] as const;

function Arrived({ pollSeconds }: { readonly pollSeconds: number }): JSX.Element {
  const status = useStatus(pollSeconds);
  return (
    <Card title="Last received" lead="Updates every few seconds.">
      <Loaded query={status} skeleton={<Skeleton lines={3} />}>
        {({ statistics }) => (
          <ul class="checks">
            {kinds.map(([kind, title]) => {
              const { latestLiveEvent, latestTestEvent } = statistics[kind];
              const latest = latestLiveEvent ?? latestTestEvent;
              return (
                <Check key={kind} isDone={latest !== null}>
                  <span class="row spread">
                    {title}
                    <span class="soft">
                      {latest === null ? "None yet" : <Ago at={latest.timestamp} />}
                      {latest !== null && latestLiveEvent === null && " (test)"}
                    </span>
                  </span>
                </Check>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

interface CheckProps {
  readonly isDone: boolean;
  readonly isNext?: boolean;
  readonly children: JSX.Element | string;
}

const Check = ({ isDone, isNext = false, children }: CheckProps): JSX.Element => (
  <li class={isDone ? "done" : isNext ? "next" : undefined}>
    <span class="check-mark">{isDone && <CheckIcon />}</span>
    <span class="unseen">{isDone ? "Done: " : "To do: "}</span>
    <span class="check-text">{children}</span>
  </li>
);
