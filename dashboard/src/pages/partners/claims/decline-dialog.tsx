import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, filled, TextArea, type Values } from "../../../components/form.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { claimText } from "./claim-card.tsx";
import type { Claim } from "./queries.ts";

interface DeclineDialogProps {
  readonly claim: Claim;
  /** Gets the outcome as a sentence. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const declinedBefore = "Another member declined this claim first. The partner sees their note, not yours.";

export function DeclineDialog({ claim, onDone, onClose }: DeclineDialogProps): JSX.Element {
  const { program } = useProgram();
  const { id, partner } = claim;
  const decline = useAction(
    async (values: Values) => {
      const partnerNote = filled(values.partnerNote);
      const json = { outcome: "declined" as const, partnerNote };
      const param = { ...paramOf(program), claimId: String(id) };
      const { data } = await take(api.programs[":programId"].claims[":claimId"].resolve.$post({ param, json }));
      // If the claim was already declined, the service keeps the note of the first decision.
      if (data.claim.partnerNote !== (partnerNote ?? null)) throw new Failure(409, { message: declinedBefore });
    },
    {
      failsIn: "form",
      refreshes: ["claims", "to-do", "audit"].map((name) => `program ${program.id} ${name}`),
      onDone: () => onDone(`The claim of ${nameInText(partner.name)} was declined.`),
    },
  );
  return (
    <Dialog title={`Decline the claim of ${nameInText(partner.name)}?`} onClose={onClose}>
      <Form action={decline} submit="Decline claim" submitLook="destructive" onCancel={onClose}>
        <p class="soft breakable">
          {claimText(claim)}. The partner sees the decision and your note. You can't undo this.
        </p>
        <TextArea
          name="partnerNote"
          label="Note to the partner"
          hint="For example: this order came through another partner's link. Up to 500 characters."
          isOptional
        />
      </Form>
    </Dialog>
  );
}
