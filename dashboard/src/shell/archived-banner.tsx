import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useUpdateProgram } from "../api/update-program.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Notice } from "../components/notice.tsx";
import { Instant } from "../components/time.tsx";
import { useProgram } from "../session.tsx";

export function ArchivedBanner(): JSX.Element | null {
  const { program, may } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  if (program.archivedAt === null) return null;
  return (
    <>
      <Notice look="warn">
        <div class="program-banner">
          <p>
            <strong>Archived</strong> on <Instant at={program.archivedAt} />. API keys and links don't work, and nothing
            is recorded. You can still approve commissions and pay partners.
            {!may("owner") && " Ask an owner of the workspace to restore the program."}
          </p>
          {may("owner") && <Button onClick={() => setIsAsking(true)}>Restore program</Button>}
        </div>
      </Notice>
      {isAsking && <Restore onClose={() => setIsAsking(false)} />}
    </>
  );
}

function Restore({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const restore = useUpdateProgram((status: "active" | "paused") => ({ status }), {
    failsIn: "toast",
    done: "The program was restored.",
    onDone: onClose,
  });
  return (
    <Dialog title={`Restore ${program.name}?`} onClose={onClose}>
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
