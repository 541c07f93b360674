import type { JSX } from "preact";
import { Card } from "../../components/card.tsx";
import { Count, ShortMoney } from "../../components/numbers.tsx";
import { namedByCode } from "../../named-by-code.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, periodFilters, programAddress, useFilters } from "../../url.ts";
import { Bars } from "./bars.tsx";
import type { TopPartner } from "./queries.ts";

const shownAtMost = 8;

interface TopPartnersProps {
  readonly partners: readonly TopPartner[];
  readonly currency: string;
}

/**
 * Partners by revenue, without those who have neither clicks nor sales. A click on a row limits the page to its
 * partner.
 */
export function TopPartners({ partners, currency }: TopPartnersProps): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const active = partners.filter(({ clicks, sales }) => clicks > 0 || sales > 0).slice(0, shownAtMost);
  return (
    <Card
      title="Top partners"
      actions={
        <a class="card-link" href={addressWith(programAddress(program.id, "partners"), periodFilters(filters))}>
          View all
        </a>
      }
    >
      {active.length === 0 ? (
        <p class="soft">No partner had clicks or sales in this period.</p>
      ) : (
        <Bars
          caption="Top partners by revenue"
          heads={["Partner", "Clicks", "Sales", "Revenue"]}
          rows={active.map(({ id, name, code, clicks, sales, revenueCents }) => ({
            key: String(id),
            title: (
              <>
                <bdi>{name}</bdi> <code>{code}</code>
              </>
            ),
            tooltip: namedByCode({ name, partnerCode: code }),
            size: revenueCents,
            figures: [
              <Count of={clicks} />,
              <Count of={sales} />,
              <ShortMoney amountCents={revenueCents} currency={currency} />,
            ],
            onChoose: () => setFilters({ partnerId: String(id) }),
          }))}
        />
      )}
    </Card>
  );
}
