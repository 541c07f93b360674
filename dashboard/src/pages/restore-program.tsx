import type { JSX } from "preact";
import { useUpdateProgram } from "../api/update-program.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { nameInText } from "../named-by-code.ts";
import { useProgram } from "../session.tsx";

export default function RestoreProgram({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const restore = useUpdateProgram((status: "active" | "paused") => ({ status }), {
    failsIn: "toast",
    done: "The program was restored.",
    onDone: onClose,
  });
  return (
    <Dialog title={`Restore ${nameInText(program.name)}?`} onClose={onClose}>
      <p class="soft">
        Its API keys work again at once. An active program also counts clicks, and its sales earn commissions. A paused
        one doesn't until you resume it.
      </p>
      <div class="row">
        <Button look="primary" isPending={restore.isPending} onClick={() => restore.run("active")}>
          Restore as active
        </Button>
        <Button isPending={restore.isPending} onClick={() => restore.run("paused")}>
          Restore as paused
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
