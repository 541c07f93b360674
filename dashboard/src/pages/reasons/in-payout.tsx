import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { mapConcurrent } from "../../api/map-concurrent.ts";
import { usePartner } from "../../api/partners.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import { termsOf } from "../../reasons/equation.ts";
import { partnerText } from "../../reasons/partner-text.ts";
import { Rows, Sum } from "../../reasons/parts.tsx";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { payoutAddress } from "../../url.ts";
import { balanceIn, OfPartner } from "./balance.tsx";
import { ExportCommissions } from "./commission-rows.tsx";

const readAtOnce = 4;

/** A partner's lines of the newest final payouts. */
function useFinalLines(partnerId: string, currency: string) {
  return useProgramQuery("payouts final", { partnerId, currency }, async ({ param }, init) => {
    const payouts = api.programs[":programId"].payouts;
    const { data } = await take(payouts.$get({ param, query: {} }, init));
    const final = data.filter((each) => each.status === "final" && each.currency === currency);
    const found = await mapConcurrent(final, readAtOnce, async ({ id }) => {
      const one = payouts[":payoutId"].$get({ param: { ...param, payoutId: String(id) }, query: {} }, init);
      return (await take(one)).data;
    });
    return found.flatMap(({ id, reference, lines }) => {
      const line = lines.find((each) => String(each.partnerId) === partnerId);
      return line === undefined ? [] : [{ id, reference, amountCents: line.amountCents }];
    });
  });
}

interface OfInPayoutProps {
  readonly partnerId: string;
  readonly currency: string;
}

export function OfInPayout({ partnerId, currency }: OfInPayoutProps): JSX.Element {
  const { program } = useProgram();
  const partner = usePartner(partnerId).data;
  const lines = useFinalLines(partnerId, currency);
  return (
    <Loaded query={{ ...lines, data: partner && lines.data }} skeleton={<Skeleton lines={4} />}>
      {(found) => {
        if (partner === undefined) return null;
        const { inPayoutCents } = balanceIn(partner, currency);
        const known = found.reduce((sum, { amountCents }) => sum + amountCents, 0);
        const equation = {
          what: moneyLabels.inPayout.toLowerCase(),
          amountCents: inPayoutCents,
          currency,
          terms: termsOf(...found.map(({ reference, amountCents }) => [`payout ${reference}`, amountCents] as const), [
            "earlier payouts",
            inPayoutCents - known,
          ]),
        };
        return (
          <>
            <OfPartner partner={partner} />
            <Sum
              equation={equation}
              copied={partnerText({ programName: program.name, equation, rows: [], hasMore: false })}
            >
              <ExportCommissions narrowed={{ status: "approved", inPayout: "true", partnerId, currency }} />
            </Sum>
            <Rows
              label="Payouts"
              rows={found.map(({ id, reference, amountCents }) => ({
                key: id,
                title: (
                  <a href={payoutAddress(program.id, id)}>
                    <bdi>{reference}</bdi>
                  </a>
                ),
                detail: "Not paid yet",
                amount: (
                  <WhyMoney
                    amountCents={amountCents}
                    currency={currency}
                    of={reasonsOf("line", id, partnerId)}
                    what={`payout ${reference}`}
                  />
                ),
              }))}
            />
          </>
        );
      }}
    </Loaded>
  );
}
