import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { useAllPartners } from "../../api/partners.ts";
import type { TrackedEvent } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { Money } from "../../components/numbers.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { explainReason, statusLabels } from "../../explanation.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, useFilters } from "../../url.ts";
import { Amount, kindLabels, kindTones, titleOf } from "./event-labels.tsx";
import { type EventRef, eventRefOf } from "./event-ref.ts";
import { eventKey } from "./queries.ts";
import { type Commission, describeStatus, type Facts, type Moment, momentsOf } from "./story.ts";
import { useStory } from "./story-query.ts";

interface PanelProps {
  readonly eventRef: EventRef;
  readonly shown: readonly TrackedEvent[] | undefined;
}

export function Panel({ eventRef, shown = [] }: PanelProps): JSX.Element {
  const { path, route } = useLocation();
  const [filters] = useFilters();
  const isIt = (event: TrackedEvent) =>
    eventKey(event) === eventKey({ event_type: eventRef.kind, id: eventRef.id, is_test: eventRef.isTest });
  const event = shown.find(isIt);
  const story = useStory(eventRef, event);
  const known = story.data?.facts?.event ?? event;
  useFocusReturn();
  return (
    <Dialog
      look="drawer"
      title={known === undefined ? kindLabels[eventRef.kind] : titleOf(known)}
      onClose={() => route(addressWith(path, { ...filters, event: undefined }), true)}
    >
      {known !== undefined && <EventFacts event={known} />}
      <Loaded query={story} skeleton={<Skeleton lines={9} />}>
        {(found) =>
          found === undefined ? (
            <Skeleton lines={9} />
          ) : found.facts === undefined ? (
            <Empty title="Not found">
              This event isn't among the newest 1,000 {kindLabels[eventRef.kind].toLowerCase()}s of its day. To find it,
              filter the list by its partner and day.
            </Empty>
          ) : (
            <Story facts={found.facts} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

/** Returns focus to the page if no row opened the panel, or if that row is gone. */
function useFocusReturn(): void {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
      });
    },
    [],
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element => (
  <div>
    <dt>{title}</dt>
    <dd class="breakable">{children}</dd>
  </div>
);

function EventFacts({ event }: { readonly event: TrackedEvent }): JSX.Element {
  const { data: partners = [] } = useAllPartners();
  const partner = partners.find(({ code }) => code === event.partnerCode);
  const hasMoney = event.event_type === "sale" || event.event_type === "refund";
  return (
    <>
      <div class="row">
        <Badge tone={kindTones[event.event_type]}>{kindLabels[event.event_type]}</Badge>
        {event.is_test && <Badge tone="warn">Test</Badge>}
        <span class="event-when">
          <Instant at={event.timestamp} />
        </span>
      </div>
      <dl class="event-facts">
        {hasMoney && (
          <Fact title="Amount">
            <Amount event={event} />
          </Fact>
        )}
        <Fact title="Partner">
          {partner?.name ?? event.partnerCode ?? "None"}
          {partner && <span class="soft"> {partner.code}</span>}
        </Fact>
        {"customer_key" in event && (
          <Fact title="Customer">{event.customer_key ?? "Anonymous, known only by the click"}</Fact>
        )}
        {event.click_id !== null && (
          <Fact title="Click">
            <code>{event.click_id}</code>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Story({ facts }: { readonly facts: Facts }): JSX.Element {
  const { may } = useProgram();
  const { data: partners = [] } = useAllPartners();
  const { event, commission, decisions, isComplete } = facts;
  const nameOf = (code: string) => partners.find((partner) => partner.code === code)?.name ?? code;
  return (
    <>
      {commission !== undefined && (
        <section class="stack commission" aria-label="Commission">
          <header class="row spread">
            <h3>Commission</h3>
            <StatusBadge {...commission} />
          </header>
          <p class="commission-amount">
            <Money amountCents={commission.amountCents} currency={commission.currency} />
          </p>
          <p>{describeStatus(commission, may("admin"), decisions, Date.now())}</p>
        </section>
      )}
      {commission === undefined && <NoCommission event={event} />}
      <section class="stack" aria-label="Timeline">
        <h3>Timeline</h3>
        <ol class="moments">
          {momentsOf(facts, nameOf).map((moment) => (
            <MomentItem
              key={`${moment.at} ${moment.title}`}
              moment={moment}
              isItself={moment.eventRef === eventRefOf(event)}
            />
          ))}
        </ol>
      </section>
      {!isComplete && (
        <Notice look="plain">
          This timeline may be incomplete. Only the newest 500 to 1,000 entries of each list were searched.
        </Notice>
      )}
    </>
  );
}

function NoCommission({ event }: { readonly event: TrackedEvent }): JSX.Element | null {
  if (event.event_type !== "sale" && event.event_type !== "refund") return null;
  if (!event.is_test) return <Notice look="plain">Its commission isn't among the newest 500.</Notice>;
  return (
    <Notice look="plain">
      This is a test event. It doesn't count in reports, and its commission isn't shown here.
      {event.event_type === "sale" && event.reason !== null && ` ${explainReason(event.reason)}`}
    </Notice>
  );
}

const tones: Readonly<Record<Commission["status"], Tone>> = {
  pending: "accent",
  approved: "good",
  paid: "good",
  reversed: "warn",
  rejected: "bad",
  void: "plain",
};

const StatusBadge = ({ status, unconfirmed }: Pick<Commission, "status" | "unconfirmed">): JSX.Element =>
  status === "pending" && unconfirmed ? (
    <Badge tone="warn">Unconfirmed</Badge>
  ) : (
    <Badge tone={tones[status]}>{statusLabels[status]}</Badge>
  );

interface MomentItemProps {
  readonly moment: Moment;
  readonly isItself: boolean;
}

function MomentItem({ moment: { at, title, lines, eventRef }, isItself }: MomentItemProps): JSX.Element {
  const { path } = useLocation();
  const [filters] = useFilters();
  return (
    <li class={isItself ? "moment itself" : "moment"} aria-current={isItself ? "true" : undefined}>
      <div class="row spread">
        <strong>
          {eventRef === undefined || isItself ? (
            title
          ) : (
            <a href={addressWith(path, { ...filters, event: eventRef })}>{title}</a>
          )}
        </strong>
        <span class="soft">
          <Instant at={at} />
        </span>
      </div>
      {lines.map((line) => (
        <p key={line} class="breakable">
          {line}
        </p>
      ))}
    </li>
  );
}
