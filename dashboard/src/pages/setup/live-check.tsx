import type { ComponentChildren, JSX } from "preact";
import type { Readiness } from "../../api/readiness.ts";
import type { EventOf } from "../../api/types.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { CheckIcon } from "../../components/icons.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Ago } from "../../components/time.tsx";
import { explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { mayReject } from "../commissions/decide.ts";
import { useDecisions } from "../commissions/decisions.tsx";
import { decidableOf } from "../explain/decidable.ts";
import { BotClick } from "./bot-click.tsx";
import { useLatestEvents, useSaleStory } from "./queries.ts";

interface LiveCheckProps {
  /** A partner's link to try. Null if there is none. */
  readonly link: string | null;
  readonly lastEventAt: Readiness["last_event_at"];
  readonly onDone: () => void;
}

/** Shows the shop's own events as they arrive. Test events don't count, because they prove nothing about the shop. */
export function LiveCheck({ link, lastEventAt, onDone }: LiveCheckProps): JSX.Element {
  const latest = useLatestEvents();
  return (
    <Loaded query={latest} skeleton={<Skeleton lines={6} />}>
      {({ click, botClick, lead, sale, testLead, testSale }) => (
        <>
          <ol class="live-check" aria-live="polite">
            <Check
              title="Open your site through a partner link"
              waiting={<BotClick at={botClick?.timestamp} otherwise="Waiting for a click…" />}
              isDone={click !== undefined || lastEventAt.click !== null}
            >
              {click ? (
                <>
                  Click received <Ago at={click.timestamp} />
                  {click.page_url !== null && <span class="breakable"> on {pathOf(click.page_url)}</span>}
                </>
              ) : (
                <Earlier at={lastEventAt.click} />
              )}
            </Check>
            {click === undefined && link !== null && (
              <li class="live-action row">
                <ButtonLink href={link} isNewTab>
                  Open test link
                </ButtonLink>
                <CopyButton text={link} what="test link" title="Copy test link" />
              </li>
            )}
            <Check
              title="Sign up with a test account"
              waiting="Waiting for a lead…"
              tested={testLead && "A test lead"}
              isDone={lead !== undefined || lastEventAt.lead !== null}
            >
              {lead ? <Lead lead={lead} /> : <Earlier at={lastEventAt.lead} />}
            </Check>
            <Check
              title="Buy something small"
              hint="It counts as a real sale. You can reject its commission here afterward."
              waiting="Waiting for a sale…"
              tested={testSale && "A test sale"}
              isDone={sale !== undefined || lastEventAt.sale !== null}
            >
              {sale ? <Sale sale={sale} /> : <Earlier at={lastEventAt.sale} />}
            </Check>
          </ol>
          {sale !== undefined && (
            <div class="row">
              <Button look="primary" onClick={onDone}>
                Finish
              </Button>
              <TakeBack saleId={sale.id} />
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The time of an event that is no longer among the latest. */
const Earlier = ({ at }: { readonly at: string | null }): JSX.Element | null =>
  at === null ? null : (
    <>
      Received <Ago at={at} />
    </>
  );

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url);

function Lead({ lead }: { readonly lead: EventOf<"lead"> }): JSX.Element {
  const { customer_key, timestamp, partnerCode, provisional } = lead;
  return (
    <>
      Lead received <Ago at={timestamp} />
      {customer_key !== null && <span class="breakable">, customer {customer_key}</span>}
      <small>
        {partnerCode === null
          ? "It isn't attributed to a partner. Check that the form sends the click ID."
          : provisional
            ? `Attributed to ${partnerCode}, but only the browser reported it.`
            : `Attributed to ${partnerCode}.`}
      </small>
    </>
  );
}

function Sale({ sale }: { readonly sale: EventOf<"sale"> }): JSX.Element {
  const { program } = useProgram();
  const { data: story } = useSaleStory(sale.id);
  const verdict = story?.verdict;
  return (
    <>
      <Money amountCents={sale.amount_cents} currency={sale.currency} />
      {verdict?.commissionCents != null && verdict.currency !== null && verdict.attributed && (
        <>
          {" "}
          <span aria-hidden="true">→</span> <Money amountCents={verdict.commissionCents} currency={verdict.currency} />{" "}
          commission
        </>
      )}
      , received <Ago at={sale.timestamp} />
      <small>
        {verdict?.message}{" "}
        <a href={explainAddress(program.id, { saleId: String(sale.id) })}>
          Explain<span class="unseen"> this sale</span>
        </a>
      </small>
    </>
  );
}

function TakeBack({ saleId }: { readonly saleId: number }): JSX.Element | null {
  const { may } = useProgram();
  const { data: story } = useSaleStory(saleId);
  const { decide, reject, dialog } = useDecisions(() => undefined);
  const commission = story && decidableOf(story);
  if (commission === undefined || !mayReject(commission) || !may("admin")) return null;
  return (
    <>
      <Button isPending={decide.isPending} onClick={() => reject([commission])}>
        Reject its commission…
      </Button>
      {dialog}
    </>
  );
}

interface CheckProps {
  readonly title: string;
  readonly hint?: string;
  readonly waiting: ComponentChildren;
  /** A test event that arrived while the check waits for a live one. */
  readonly tested?: string | undefined;
  readonly isDone: boolean;
  /** The event that has arrived. */
  readonly children: ComponentChildren;
}

const Check = ({ title, hint, waiting, tested, isDone, children }: CheckProps): JSX.Element => (
  <li class={isDone ? "done" : undefined}>
    <span class="check-mark">{isDone && <CheckIcon />}</span>
    <div class="check-text">
      <strong>{title}</strong>
      {hint !== undefined && !isDone && <p>{hint}</p>}
      <p class="soft">{isDone ? children : waiting}</p>
      {tested !== undefined && !isDone && (
        <p>{tested} arrived. Test events don't count here: report it without test mode.</p>
      )}
    </div>
  </li>
);
