import "../../../forms/rules/rules.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { periodOfDay, type TierMetric, type TierPeriod, tierPeriods } from "#domain/tiers.ts";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Card } from "../../../components/card.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { parseMoney, parseWhole } from "../../../forms/parse-numbers.ts";
import { Choice, Typed } from "../../../forms/rules/controls.tsx";
import { useUnits } from "../../../forms/units.ts";
import { todayIn } from "../../../sale-period.ts";
import { currencyOptions } from "../../../select-options.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { bonusQueryKeys } from "./queries.ts";
import { firstPeriods, termsText } from "./words.ts";

const metrics = [
  ["sales", "sales"],
  ["revenue", "revenue"],
] as const;

const periodOptions = tierPeriods.map((period) => [period, period] as const);

interface Entered {
  readonly amount: string;
  readonly currency: string;
  readonly threshold: string;
  readonly metric: TierMetric;
  readonly period: TierPeriod;
  readonly from: string;
}

/** A form that reads like a sentence: "Partners get 50 EUR once they have 10 sales in a month, from November 2026 on". */
export function NewBonus(): JSX.Element {
  const { program } = useProgram();
  const units = useUnits();
  const none: Entered = {
    amount: "",
    currency: program.currency,
    threshold: "",
    metric: "sales",
    period: "month",
    from: periodOfDay("month", todayIn(program.timezone)),
  };
  const [entered, setEntered] = useState(none);
  const put = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const { amount, currency, threshold, metric, period, from } = entered;
  const create = useAction(
    (_: Values) => {
      const json = {
        metric,
        period,
        threshold:
          metric === "sales"
            ? parseWhole(threshold, "threshold")
            : parseMoney(threshold, program.currency, "threshold"),
        amountCents: parseMoney(amount, currency, "amountCents"),
        currency,
        from,
      };
      return take(api.programs[":programId"].bonuses.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `Bonus of ${termsText(data)} created.`,
      refreshes: bonusQueryKeys(program.id),
      onDone: () => setEntered(none),
    },
  );
  const currencies = [...(units.data ?? []).map(({ code, other }) => [code, other] as const), ...currencyOptions()];
  return (
    <Card
      title="New bonus"
      lead="Only approved and paid sales count. You award bonuses once the period is over. A bonus can't be changed, only ended. Up to 5 bonuses can run at a time."
    >
      <Form action={create} submit="Create bonus">
        <fieldset class="rule">
          <legend class="unseen">Terms</legend>
          <div class="rule-line">
            <span class="rule-word">Partners get</span>
            <Typed
              name="amountCents"
              label="Amount of the bonus"
              inputMode="decimal"
              isRequired
              value={amount}
              onChange={(next) => put({ amount: next })}
            />
            <Choice
              name="currency"
              label="Currency"
              value={currency}
              options={currencies}
              onChange={(next) => put({ currency: next })}
            />
          </div>
          <div class="rule-line">
            <span class="rule-word">for</span>
            <Typed
              name="threshold"
              label={metric === "sales" ? "Number of sales" : "Revenue"}
              {...(metric === "revenue" && { unit: program.currency })}
              inputMode={metric === "sales" ? "numeric" : "decimal"}
              isRequired
              value={threshold}
              onChange={(next) => put({ threshold: next })}
            />
            <Choice
              name="metric"
              label="Counted"
              value={metric}
              options={metrics}
              onChange={(next) => put({ metric: next })}
            />
            <span class="rule-word">in a</span>
            <Choice
              name="period"
              label="Period"
              value={period}
              options={periodOptions}
              onChange={(next) => put({ period: next, from: periodOfDay(next, todayIn(program.timezone)) })}
            />
          </div>
          <div class="rule-line">
            <span class="rule-word">from</span>
            <Choice
              key={period}
              name="from"
              label="First period"
              value={from}
              options={firstPeriods(period, program.timezone)}
              onChange={(next) => put({ from: next })}
            />
            <span class="rule-word">on</span>
          </div>
        </fieldset>
      </Form>
    </Card>
  );
}
