import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { sessionEnded } from "../api/client.ts";
import { Failure } from "../api/failure.ts";
import { useSignal } from "../api/signal.ts";
import { Claims } from "./claims.tsx";
import { Commissions } from "./commissions.tsx";
import { Figures } from "./figures.tsx";
import { OwnLinks } from "./own-links.tsx";
import { Trouble, Waiting } from "./parts.tsx";
import { Payouts } from "./payouts.tsx";
import { type Links, type Overview, useLinks, useOverview } from "./queries.ts";
import { settings } from "./settings.ts";
import { Start } from "./start.tsx";

/** Shown if the service refuses the token of a call, such as the call that creates a link. */
const ended = new Failure(401, { message: "token refused" });

export function App(): JSX.Element {
  const overview = useOverview();
  const links = useLinks();
  const hasEnded = useSignal(sessionEnded);
  const person = usePerson(links.data);
  const failure = overview.failure ?? links.failure ?? (hasEnded ? ended : undefined);
  return (
    <main>
      <h1 class="unseen">Referral program</h1>
      {failure !== undefined && <Trouble failure={failure} />}
      {overview.data !== undefined && links.data !== undefined ? (
        <Program key={person} overview={overview.data} links={links.data} />
      ) : (
        isRead(failure) && <Waiting />
      )}
    </main>
  );
}

/**
 * A number that changes when the data becomes another person's. As the key of `Program`, it discards what the earlier
 * person entered or read. If two lists of links share no code, they belong to different persons.
 */
function usePerson(links: Links | undefined): number {
  const shown = useRef({ person: 0, codes: [] as readonly string[] });
  if (links === undefined) return shown.current.person;
  const codes = links.data.map(({ code }) => code);
  const { person, codes: before } = shown.current;
  const isOther = before.length > 0 && before.every((code) => !codes.includes(code));
  shown.current = { person: isOther ? person + 1 : person, codes };
  return shown.current.person;
}

/** True while the page reads its data, or retries by itself after an outage. */
const isRead = (failure: Failure | undefined): boolean => failure === undefined || failure.isOutage;

interface ProgramProps {
  readonly overview: Overview;
  readonly links: Links;
}

function Program({ overview, links }: ProgramProps): JSX.Element {
  const isPaused = overview.data.status === "paused";
  const isFirst = links.data.length === 0;
  const wasFirst = useRef(isFirst);
  return (
    <>
      {isPaused && <p class="notice">The referral program is paused. New clicks and sales don't count for now.</p>}
      {isFirst ? <Start overview={overview} /> : <Partner overview={overview} links={links} isNew={wasFirst.current} />}
    </>
  );
}

function Partner({ overview, links, isNew }: ProgramProps & { readonly isNew: boolean }): JSX.Element {
  return (
    <>
      <OwnLinks overview={overview} links={links.data} isNew={isNew} />
      <Figures overview={overview} links={links} />
      {settings.show.commissions && <Commissions />}
      {settings.show.payouts && <Payouts />}
      {settings.show.claims && <Claims overview={overview} />}
    </>
  );
}
