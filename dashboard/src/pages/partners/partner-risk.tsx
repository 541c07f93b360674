import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { type Partner, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { Card } from "../../components/card.tsx";
import { nameInText } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { settingsAddress } from "../../url.ts";

/** Shows and changes whether signals can hold the partner's commissions. */
export default function PartnerRisk({ partner }: { readonly partner: Partner }): JSX.Element {
  const { program, mayChange } = useProgram();
  const { id, name, riskExempt } = partner;
  const [isExempt, setIsExempt] = useState(riskExempt);
  const set = useAction(
    (wanted: boolean) => {
      const param = { ...paramOf(program), partnerId: String(id) };
      return take(api.programs[":programId"].partners[":partnerId"].$patch({ param, json: { riskExempt: wanted } }));
    },
    {
      done: ({ data }) =>
        data.riskExempt
          ? `Signals flag commissions of ${nameInText(name)}, but don't hold them.`
          : `Signals can hold commissions of ${nameInText(name)}.`,
      refreshes: partnerQueryKeys(program.id),
    },
  );
  const change = async (wanted: boolean) => {
    setIsExempt(wanted);
    const changed = await set.run(wanted);
    setIsExempt(changed?.data.riskExempt ?? riskExempt);
  };
  return (
    <Card title="Risk">
      <label class="check-line">
        <input
          type="checkbox"
          checked={isExempt}
          disabled={!mayChange("admin")}
          onChange={({ currentTarget: { checked } }) => void change(checked)}
        />
        Signals only flag this partner's commissions
      </label>
      <p class="soft">
        For partners that you trust: new commissions are flagged instead of held for review. What each signal does is in{" "}
        <a href={settingsAddress(program.id, "risk")}>Settings</a>.
      </p>
    </Card>
  );
}
