import type { JSX } from "preact";
import { MoreIcon } from "../../components/icons.tsx";
import { Menu } from "../../components/menu.tsx";
import { toast } from "../../components/toast.tsx";
import { nameInText } from "../../named-by-code.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, partnerAddress, periodFilters, programAddress, useFilters } from "../../url.ts";
import type { ListedPartner } from "./queries.ts";

interface RowMenuProps {
  readonly partner: ListedPartner;
  readonly onChangeStatus: (partner: ListedPartner) => void;
}

export function RowMenu({ partner, onChangeStatus }: RowMenuProps): JSX.Element {
  const { program, may } = useProgram();
  const [filters] = useFilters();
  const { id, name, link, status } = partner;
  const of = (page: string) => addressWith(programAddress(program.id, page), { partnerId: String(id) });
  const copy = (text: string) =>
    navigator.clipboard.writeText(text).then(
      () => toast("Copied to the clipboard."),
      () => toast("Your browser blocked copying. Open the partner and copy the link there.", { look: "danger" }),
    );
  return (
    <Menu label={`Actions for ${nameInText(name)}`} isFloating button={<MoreIcon />}>
      {link !== null && (
        <button type="button" class="menu-item" onClick={() => copy(link)}>
          Copy link
        </button>
      )}
      <a class="menu-item" href={of("events")}>
        View events
      </a>
      <a class="menu-item" href={of("commissions")}>
        View commissions
      </a>
      {may("admin") && (
        <>
          <a
            class="menu-item"
            href={addressWith(partnerAddress(program.id, id), { ...periodFilters(filters), tab: "details" })}
          >
            Edit
          </a>
          <button type="button" class="menu-item" onClick={() => onChangeStatus(partner)}>
            {status === "active" ? "Pause…" : "Resume"}
          </button>
        </>
      )}
    </Menu>
  );
}
