import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { ChevronIcon, UserIcon } from "../../components/icons.tsx";
import { Menu } from "../../components/menu.tsx";
import { ThemeChoice } from "../../components/theme-choice.tsx";
import { type Session, useSignOut } from "../../session.tsx";
import { Mark } from "../../shell/brand.tsx";
import { partnerAddress, usePartner, usePartnerPrograms } from "../access.tsx";
import { pages } from "../pages.ts";

export function Navigation({ session }: { readonly session: Session }): JSX.Element {
  const { address } = usePartner();
  const { page: current = "" } = useRoute().params;
  return (
    <header class="sidebar">
      <Switcher />
      <nav aria-label="Program">
        <ul>
          {pages.map(({ path, title, icon: Icon }) => (
            <li key={path}>
              <a href={address(path)} aria-current={path === current ? "page" : undefined}>
                <Icon /> {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Account session={session} />
    </header>
  );
}

/** Shows the program's name, and the partner's if they differ. */
function Switcher(): JSX.Element {
  const { partner, isOwner } = usePartner();
  const names = (
    <>
      <Mark />
      <span class="switcher-names">
        <strong>{partner.programName}</strong>
        <small>{partner.name}</small>
      </span>
    </>
  );
  if (isOwner) return <div class="switcher alone">{names}</div>;
  return <Programs names={names} />;
}

function Programs({ names }: { readonly names: JSX.Element }): JSX.Element {
  const { param } = usePartner();
  const { data: found } = usePartnerPrograms();
  if (found === undefined || found.data.length < 2) return <div class="switcher alone">{names}</div>;
  return (
    <div class="switcher">
      <Menu
        label="Switch program"
        button={
          <>
            {names}
            <ChevronIcon />
          </>
        }
      >
        {found.data.map(({ programId, partnerId, programName, name }) => {
          const path = { programId: String(programId), partnerId: String(partnerId) };
          const isCurrent = path.programId === param.programId && path.partnerId === param.partnerId;
          return (
            <a
              key={partnerAddress(path)}
              class="menu-item"
              href={partnerAddress(path)}
              aria-current={isCurrent ? "true" : undefined}
            >
              <span class="switcher-names">
                <strong>{programName}</strong>
                <small>{name}</small>
              </span>
            </a>
          );
        })}
        {found.meta.unavailable > 0 && <p class="menu-text">Some programs can't be reached right now.</p>}
      </Menu>
    </div>
  );
}

function Account({ session: { user } }: { readonly session: Session }): JSX.Element {
  const signOut = useSignOut();
  return (
    <div class="account">
      <Menu
        label="Account"
        opensUp
        button={
          <>
            <UserIcon />
            <span class="account-name">{user.name}</span>
            <ChevronIcon />
          </>
        }
      >
        <div class="menu-group">
          <p class="menu-text">{user.email}</p>
        </div>
        <ThemeChoice />
        <a class="menu-item" href="/docs/guides/for-partners/" target="_blank" rel="noreferrer">
          Guide
        </a>
        <button type="button" class="menu-item" onClick={() => signOut.run(undefined)}>
          Sign out
        </button>
      </Menu>
    </div>
  );
}
