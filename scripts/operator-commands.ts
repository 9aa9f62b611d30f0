/** The commands of operators, which the package brings as well: `npm run NAME -- …` is `./NAME …` there. */
export const OPERATOR_COMMANDS = {
  account: () => import("./account"),
  edge: () => import("./edge"),
  migrate: () => import("./migrate"),
  notices: () => import("./notices"),
  server: () => import("./server"),
  sweep: () => import("./sweep"),
} as const;

export type OperatorCommand = keyof typeof OPERATOR_COMMANDS;
