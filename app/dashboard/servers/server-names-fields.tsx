"use client";

import { TextField } from "@/app/ui/text-field";
import type { ServerNames } from "@/lib/servers/names";

type Props = { values: ServerNames; errorOf: (field: string) => string | null };

/** The label and the hostname of a server. */
export function ServerNamesFields({ values, errorOf }: Props) {
  return (
    <div className="fields">
      <TextField
        error={errorOf("label")}
        name="label"
        label="Label"
        hint="Shown in the fleet and the API."
        placeholder="Web front"
        maxLength={128}
        value={values.label}
      />
      <TextField
        error={errorOf("hostname")}
        name="hostname"
        label="Hostname (optional)"
        hint="As “hostname -f” prints it. Left empty, the daemon reports it."
        placeholder="web-1.example.com"
        maxLength={253}
        isOptional
        value={values.hostname}
      />
    </div>
  );
}
