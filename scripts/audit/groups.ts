import { field, type Invariants, type Scope } from "./invariant.ts";

const setsGroup = "json_type(iif(json_valid(a.after), a.after, '{}'), '$.groupId') is not null";

/** The current and former names of each group, with the group as subject. */
const everyName = (of: Scope): string => `(
  select 'group ' || g.id || ' ' || g.name from partner_groups g where ${of("g")}
  ${["a.before", "a.after"]
    .map(
      (json) => `union all select a.subject || ' ' || ${field(json, "name")} from audit_entries a
        where ${of("a")} and a.action in ('group.created', 'group.updated') and ${field(json, "name")} is not null`,
    )
    .join(" ")})`;

export const groupInvariants: Invariants = {
  "groups, or memberships, of another program": (of) => `
    select m.partner_id as partner, m.group_id as "group" from group_memberships m
    left join partners p on p.id = m.partner_id left join partner_groups g on g.id = m.group_id
    where ${of("m")} and (p.program_id is not m.program_id or (m.group_id is not null and g.program_id is not m.program_id))
    union all
    select null, p.group_id from commission_policies p left join partner_groups g on g.id = p.group_id
    where ${of("p")} and p.group_id is not null and g.program_id is not p.program_id
    union all
    select null, j.group_id from join_pages j left join partner_groups g on g.id = j.group_id
    where ${of("j")} and j.group_id is not null and g.program_id is not j.program_id
    union all
    select null, o.group_id from offers o left join partner_groups g on g.id = o.group_id
    where ${of("o")} and o.group_id is not null and g.program_id is not o.program_id
    union all
    select null, g.id from partner_groups g where ${of("g")} and g.program_id not in (select id from programs)`,
  "groups whose creation differs from the audit trail": (of) => `
    select g.id as "group", a.id as audit_entry from audit_entries a
    left join partner_groups g on g.id = ${field("a.after", "groupId")}
    where ${of("a")} and a.action = 'group.created'
      and (g.created_at is not a.created_at or g.program_id is not a.program_id or a.subject <> 'group ' || g.id)`,
  "memberships of groups that differ from the audit trail": (of) => `
    select m.partner_id as partner, m.group_id as "group", a.id as audit_entry from group_memberships m
    left join audit_entries a on a.operation_id = m.operation_id
    where ${of("m")} and (a.program_id is not m.program_id or a.subject is not 'partner ' || m.partner_id
      or ${field("a.after", "groupId")} is not m.group_id
      or case a.action when 'partner.created' then m.effective_from <> 0
        when 'partner.updated' then m.effective_from < a.created_at else 1 end)
    union all
    select cast(substr(a.subject, 9) as integer), ${field("a.after", "groupId")}, a.id from audit_entries a
    where ${of("a")} and a.action in ('partner.created', 'partner.updated') and ${setsGroup}
      and not exists (select 1 from group_memberships m where m.program_id = a.program_id
        and m.partner_id = cast(substr(a.subject, 9) as integer) and m.operation_id = a.operation_id)`,
  "commissions whose explanation has another group than their policy": (of) => `
    select c.id as commission, p.group_id as "group" from commissions c
    left join commission_policies p on p.id = c.policy_id
    where ${of("c")} and (${field("c.explanation", "group.id")} is not p.group_id
      or (p.group_id is not null and 'group ' || p.group_id || ' ' || coalesce(${field("c.explanation", "group.name")}, '')
        not in ${everyName(of)}))`,
};
