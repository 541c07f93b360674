import type { JSX } from "preact";
import { maxOpenRetries } from "#domain/webhooks.ts";
import type { Webhook } from "../../../api/types.ts";
import { Notice } from "../../../components/notice.tsx";
import { Instant } from "../../../components/time.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import { useProgram } from "../../../session.tsx";

export function WebhookNotice({ of }: { readonly of: Webhook }): JSX.Element {
  const { isArchived } = useProgram();
  const { status, failingSince, provedAt, waiting, lastSeq, newestSeq } = of;
  if (isArchived) return <Notice look="plain">Archived programs send nothing.</Notice>;
  if (status === "disabled") return <Disabled of={of} />;
  if (provedAt === null)
    return (
      <Notice look="warn">
        Your server must first answer an example with 2xx. We retry it for about three days. Events wait for up to 30
        days. To try now, send an example.
      </Notice>
    );
  if (waiting >= maxOpenRetries)
    return (
      <Notice look="bad">
        {formatCount(waiting)} events are waiting for another attempt. New events wait until some of these are
        delivered.
      </Notice>
    );
  if (failingSince !== null)
    return (
      <Notice look="warn">
        Every delivery has failed since <Instant at={failingSince} />. Each event is tried ten times within about three
        days. If every delivery fails for five days, the webhook is disabled.
      </Notice>
    );
  if (newestSeq === 0) return <Notice look="plain">No events yet. The first is sent as soon as it happens.</Notice>;
  if (lastSeq < newestSeq)
    return <Notice look="plain">{pluralize(newestSeq - lastSeq, "event")} will be sent in a moment.</Notice>;
  if (waiting > 0)
    return (
      <Notice look="warn">
        {pluralize(waiting, "event")} {waiting === 1 ? "is" : "are"} waiting for another attempt.
      </Notice>
    );
  return <Notice look="good">Everything up to event {formatCount(newestSeq)}, the newest, has been sent.</Notice>;
}

const Disabled = ({ of: { disabledBy, disabledAt } }: { readonly of: Webhook }): JSX.Element => {
  const on = disabledAt !== null && (
    <>
      {" "}
      on <Instant at={disabledAt} />
    </>
  );
  return disabledBy === "failures" ? (
    <Notice look="bad">
      Disabled automatically{on}, because every delivery failed for days. Once your server works again, enable it and
      send the events that it missed.
    </Notice>
  ) : (
    <Notice look="plain">Disabled by a member{on}. Nothing is sent until you enable it.</Notice>
  );
};
