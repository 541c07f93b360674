import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useExplanation } from "../../api/explain.ts";
import type { Explanation, StoryEvent } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import type { ExplainQuery } from "../../explain-address.ts";
import { zoneTitle } from "../../format-time.ts";
import { useProgram } from "../../session.tsx";
import { ExplainLink } from "./explain-link.tsx";
import { WithNames } from "./partner-of-code.tsx";
import { eventLines, eventTitle, isSubject } from "./words.ts";

interface TimelineProps {
  readonly explanation: Explanation;
  readonly query: ExplainQuery;
}

export function Timeline({ explanation, query }: TimelineProps): JSX.Element | null {
  const { program } = useProgram();
  if (explanation.events.length === 0) return null;
  return (
    <Card title="Timeline" lead={`Times in ${zoneTitle(program.timezone)}.`}>
      <Moments explanation={explanation} query={query} />
    </Card>
  );
}

/** Shows a page of events, and the next pages once the user asks for them. */
function Moments({ explanation, query }: TimelineProps): JSX.Element {
  const { events, nextCursor } = explanation;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ol class="moments">
        {events.map((event) => (
          <Moment
            key={`${event.type} ${event.id}`}
            event={event}
            explanation={explanation}
            title={eventTitle(event, explanation)}
            isItself={isSubject(explanation, event)}
          />
        ))}
      </ol>
      {nextCursor !== null && !isOpen && (
        <div>
          <Button onClick={() => setIsOpen(true)}>Show later events</Button>
        </div>
      )}
      {nextCursor !== null && isOpen && <LaterMoments query={query} cursor={nextCursor} />}
    </>
  );
}

interface LaterMomentsProps {
  readonly query: ExplainQuery;
  readonly cursor: string;
}

function LaterMoments({ query, cursor }: LaterMomentsProps): JSX.Element {
  const later = useExplanation({ ...query, cursor });
  return (
    <Loaded query={later} skeleton={<Skeleton lines={6} />}>
      {(explanation) => <Moments explanation={explanation} query={query} />}
    </Loaded>
  );
}

interface MomentProps {
  readonly event: StoryEvent;
  readonly explanation: Explanation;
  readonly title: string;
  readonly isItself: boolean;
}

function Moment({ event, explanation, title, isItself }: MomentProps): JSX.Element {
  const to = explainQueryOf(event);
  const named = <WithNames text={title} of={explanation} />;
  return (
    <li class={isItself ? "moment itself" : "moment"} aria-current={isItself ? "true" : undefined}>
      <div class="row spread">
        <strong class="breakable">{isItself ? named : <ExplainLink to={to}>{named}</ExplainLink>}</strong>
        <span class="soft">
          <Instant at={event.occurredAt} />
        </span>
      </div>
      {eventLines(event, explanation).map((line) => (
        <p key={line} class="breakable">
          <WithNames text={line} of={explanation} />
        </p>
      ))}
    </li>
  );
}

function explainQueryOf(event: StoryEvent): ExplainQuery {
  switch (event.type) {
    case "click":
      return { clickId: event.id };
    case "lead":
      return { leadId: String(event.id) };
    case "sale":
      return { saleId: String(event.id) };
    case "refund":
      return event.refundId === null
        ? { saleId: String(event.saleId) }
        : { transactionId: event.transactionId, refundId: event.refundId };
  }
}
