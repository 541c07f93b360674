export const caps = {
  ownedWorkspaces: { max: 20, message: "A user can own at most 20 workspaces" },
  programs: { max: 100, message: "A workspace can have at most 100 programs" },
  openInvitations: { max: 50, message: "A workspace can have at most 50 open invitations" },
  partners: { max: 50_000, message: "A program can have at most 50,000 partners" },
} as const;

export type Cap = keyof typeof caps;
