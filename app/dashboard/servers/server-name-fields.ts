import type { TextFieldSpec } from "@/app/ui/text-field";
import type { ServerNames } from "@/lib/servers/names";

/** The fields of a server, with what stands in them. */
export function serverNameFields(values: ServerNames): TextFieldSpec[] {
  return [
    {
      name: "label",
      label: "Label",
      hint: "Shown in the fleet and the API.",
      placeholder: "Web front",
      maxLength: 128,
      value: values.label,
    },
    {
      name: "hostname",
      label: "Hostname (optional)",
      hint: "As “hostname -f” prints it. Left empty, the daemon reports it.",
      placeholder: "web-1.example.com",
      maxLength: 253,
      value: values.hostname,
      isOptional: true,
    },
  ];
}
