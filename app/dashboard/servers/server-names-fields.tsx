"use client";

import { TextField } from "@/app/ui/text-field";
import type { ServerNames } from "@/lib/servers/names";

type Props = {
  values: ServerNames;
  /** What is wrong with one of the fields. */
  problem: { field: string; message: string } | null;
};

/** The label and the hostname of a server. */
export function ServerNamesFields({ values, problem }: Props) {
  const errorOf = (name: string) => (problem?.field === name ? problem.message : null);
  return (
    <div className="fields">
      <TextField
        error={errorOf("label")}
        field={{
          name: "label",
          label: "Label",
          hint: "Shown in the fleet and the API.",
          placeholder: "Web front",
          maxLength: 128,
          value: values.label,
        }}
      />
      <TextField
        error={errorOf("hostname")}
        field={{
          name: "hostname",
          label: "Hostname (optional)",
          hint: "As “hostname -f” prints it. Left empty, the daemon reports it.",
          placeholder: "web-1.example.com",
          maxLength: 253,
          isOptional: true,
          value: values.hostname,
        }}
      />
    </div>
  );
}
