// Written by prisma/tables-generator.mjs from schema.prisma.
export const TABLES = {
  "Account": {
    "name": "accounts",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "email": {
        "name": "email",
        "kind": "other"
      },
      "role": {
        "name": "role",
        "kind": "other"
      },
      "passwordHash": {
        "name": "password_hash",
        "kind": "other"
      },
      "disabledAt": {
        "name": "disabled_at",
        "kind": "instant"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "timeZone": {
        "name": "time_zone",
        "kind": "other"
      },
      "timeZoneChosen": {
        "name": "time_zone_chosen",
        "kind": "other"
      }
    }
  },
  "Session": {
    "name": "sessions",
    "columns": {
      "tokenHash": {
        "name": "token_hash",
        "kind": "other"
      },
      "publicId": {
        "name": "public_id",
        "kind": "other"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "expiresAt": {
        "name": "expires_at",
        "kind": "instant"
      },
      "userAgent": {
        "name": "user_agent",
        "kind": "other"
      },
      "ip": {
        "name": "ip",
        "kind": "other"
      },
      "authenticatedAt": {
        "name": "authenticated_at",
        "kind": "instant"
      }
    }
  },
  "AccessToken": {
    "name": "access_tokens",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "tokenHash": {
        "name": "token_hash",
        "kind": "other"
      },
      "hint": {
        "name": "hint",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "expiresAt": {
        "name": "expires_at",
        "kind": "instant"
      },
      "lastUsedAt": {
        "name": "last_used_at",
        "kind": "instant"
      },
      "lastUsedIp": {
        "name": "last_used_ip",
        "kind": "other"
      },
      "lastUsedAgent": {
        "name": "last_used_agent",
        "kind": "other"
      },
      "revokedAt": {
        "name": "revoked_at",
        "kind": "instant"
      },
      "firstUsedAt": {
        "name": "first_used_at",
        "kind": "instant"
      },
      "firstUsedIp": {
        "name": "first_used_ip",
        "kind": "other"
      },
      "refusedCount": {
        "name": "refused_count",
        "kind": "json"
      },
      "lastRefusedAt": {
        "name": "last_refused_at",
        "kind": "instant"
      },
      "lastRefusedIp": {
        "name": "last_refused_ip",
        "kind": "other"
      },
      "lastRefusedAgent": {
        "name": "last_refused_agent",
        "kind": "other"
      },
      "formNonce": {
        "name": "form_nonce",
        "kind": "other"
      },
      "replacedById": {
        "name": "replaced_by_id",
        "kind": "json"
      },
      "endsOnFirstUse": {
        "name": "ends_on_first_use",
        "kind": "other"
      },
      "networks": {
        "name": "networks",
        "kind": "other"
      }
    }
  },
  "TokenUseHour": {
    "name": "token_use_hours",
    "columns": {
      "tokenId": {
        "name": "token_id",
        "kind": "json"
      },
      "hour": {
        "name": "hour",
        "kind": "instant"
      },
      "requests": {
        "name": "requests",
        "kind": "json"
      },
      "limited": {
        "name": "limited",
        "kind": "json"
      },
      "refused": {
        "name": "refused",
        "kind": "json"
      },
      "peak": {
        "name": "peak",
        "kind": "json"
      }
    }
  },
  "TokenVisitor": {
    "name": "token_visitors",
    "columns": {
      "tokenId": {
        "name": "token_id",
        "kind": "json"
      },
      "ip": {
        "name": "ip",
        "kind": "other"
      },
      "network": {
        "name": "network",
        "kind": "other"
      },
      "agent": {
        "name": "agent",
        "kind": "other"
      },
      "firstSeenAt": {
        "name": "first_seen_at",
        "kind": "instant"
      },
      "lastSeenAt": {
        "name": "last_seen_at",
        "kind": "instant"
      },
      "requests": {
        "name": "requests",
        "kind": "json"
      },
      "knownAt": {
        "name": "known_at",
        "kind": "instant"
      }
    }
  },
  "Server": {
    "name": "servers",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "label": {
        "name": "label",
        "kind": "other"
      },
      "hostname": {
        "name": "hostname",
        "kind": "other"
      },
      "publicIp": {
        "name": "public_ip",
        "kind": "other"
      },
      "facts": {
        "name": "facts",
        "kind": "json"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "firstSeenAt": {
        "name": "first_seen_at",
        "kind": "instant"
      },
      "lastSeenAt": {
        "name": "last_seen_at",
        "kind": "instant"
      },
      "offlineSince": {
        "name": "offline_since",
        "kind": "instant"
      },
      "sampledAt": {
        "name": "sampled_at",
        "kind": "instant"
      },
      "sample": {
        "name": "sample",
        "kind": "json"
      },
      "cpu": {
        "name": "cpu",
        "kind": "json"
      },
      "memory": {
        "name": "memory",
        "kind": "json"
      },
      "disk": {
        "name": "disk",
        "kind": "json"
      },
      "network": {
        "name": "network",
        "kind": "json"
      },
      "stability": {
        "name": "stability",
        "kind": "json"
      },
      "ratedBy": {
        "name": "rated_by",
        "kind": "json"
      },
      "follow": {
        "name": "follow",
        "kind": "json"
      },
      "refusal": {
        "name": "refusal",
        "kind": "other"
      },
      "refusedSince": {
        "name": "refused_since",
        "kind": "instant"
      },
      "formNonce": {
        "name": "form_nonce",
        "kind": "other"
      },
      "tags": {
        "name": "tags",
        "kind": "other"
      }
    }
  },
  "Event": {
    "name": "events",
    "columns": {
      "subject": {
        "name": "subject",
        "kind": "other"
      },
      "subjectId": {
        "name": "subject_id",
        "kind": "json"
      },
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "kind": {
        "name": "kind",
        "kind": "other"
      },
      "startedAt": {
        "name": "started_at",
        "kind": "instant"
      },
      "endedAt": {
        "name": "ended_at",
        "kind": "instant"
      },
      "facts": {
        "name": "facts",
        "kind": "json"
      },
      "noticeDue": {
        "name": "notice_due",
        "kind": "other"
      },
      "noticeEndDue": {
        "name": "notice_end_due",
        "kind": "other"
      }
    }
  },
  "MaintenanceTime": {
    "name": "maintenance_times",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "startedAt": {
        "name": "started_at",
        "kind": "instant"
      },
      "endedAt": {
        "name": "ended_at",
        "kind": "instant"
      }
    }
  },
  "Heartbeat": {
    "name": "heartbeat",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "beatAt": {
        "name": "beat_at",
        "kind": "instant"
      },
      "judgesFrom": {
        "name": "judges_from",
        "kind": "instant"
      }
    }
  },
  "ServerKey": {
    "name": "server_keys",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "keyHash": {
        "name": "key_hash",
        "kind": "other"
      },
      "hint": {
        "name": "hint",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "expiresAt": {
        "name": "expires_at",
        "kind": "instant"
      },
      "lastUsedAt": {
        "name": "last_used_at",
        "kind": "instant"
      },
      "lastUsedIp": {
        "name": "last_used_ip",
        "kind": "other"
      }
    }
  },
  "AgentState": {
    "name": "agent_states",
    "columns": {
      "keyId": {
        "name": "key_id",
        "kind": "json"
      },
      "protocol": {
        "name": "door",
        "kind": "other"
      },
      "host": {
        "name": "host",
        "kind": "other"
      },
      "heardAt": {
        "name": "heard_at",
        "kind": "instant"
      },
      "version": {
        "name": "version",
        "kind": "json"
      },
      "instants": {
        "name": "instants",
        "kind": "json"
      }
    }
  },
  "TelemetrySample": {
    "name": "telemetry_samples",
    "columns": {
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "at": {
        "name": "at",
        "kind": "instant"
      },
      "score": {
        "name": "score",
        "kind": "json"
      },
      "cpuPct": {
        "name": "cpu_pct",
        "kind": "json"
      },
      "cpuStealPct": {
        "name": "cpu_steal_pct",
        "kind": "json"
      },
      "cpuIowaitPct": {
        "name": "cpu_iowait_pct",
        "kind": "json"
      },
      "memUsedPct": {
        "name": "mem_used_pct",
        "kind": "json"
      },
      "swapUsedPct": {
        "name": "swap_used_pct",
        "kind": "json"
      },
      "diskUsedPct": {
        "name": "disk_used_pct",
        "kind": "json"
      },
      "netLossPct": {
        "name": "net_loss_pct",
        "kind": "json"
      },
      "netRetransmitPct": {
        "name": "net_retransmit_pct",
        "kind": "json"
      }
    }
  },
  "TelemetryHour": {
    "name": "telemetry_hours",
    "columns": {
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "hour": {
        "name": "hour",
        "kind": "instant"
      },
      "seen": {
        "name": "seen",
        "kind": "json"
      },
      "samples": {
        "name": "samples",
        "kind": "json"
      },
      "reboots": {
        "name": "reboots",
        "kind": "json"
      },
      "oomKills": {
        "name": "oom_kills",
        "kind": "json"
      },
      "oomAt": {
        "name": "oom_at",
        "kind": "instant"
      },
      "scoreMin": {
        "name": "score_min",
        "kind": "json"
      },
      "scoreAvg": {
        "name": "score_avg",
        "kind": "json"
      },
      "scoreMax": {
        "name": "score_max",
        "kind": "json"
      },
      "scoreCount": {
        "name": "score_count",
        "kind": "json"
      },
      "cpuPctMin": {
        "name": "cpu_pct_min",
        "kind": "json"
      },
      "cpuPctAvg": {
        "name": "cpu_pct_avg",
        "kind": "json"
      },
      "cpuPctMax": {
        "name": "cpu_pct_max",
        "kind": "json"
      },
      "cpuPctCount": {
        "name": "cpu_pct_count",
        "kind": "json"
      },
      "cpuStealPctMin": {
        "name": "cpu_steal_pct_min",
        "kind": "json"
      },
      "cpuStealPctAvg": {
        "name": "cpu_steal_pct_avg",
        "kind": "json"
      },
      "cpuStealPctMax": {
        "name": "cpu_steal_pct_max",
        "kind": "json"
      },
      "cpuStealPctCount": {
        "name": "cpu_steal_pct_count",
        "kind": "json"
      },
      "cpuIowaitPctMin": {
        "name": "cpu_iowait_pct_min",
        "kind": "json"
      },
      "cpuIowaitPctAvg": {
        "name": "cpu_iowait_pct_avg",
        "kind": "json"
      },
      "cpuIowaitPctMax": {
        "name": "cpu_iowait_pct_max",
        "kind": "json"
      },
      "cpuIowaitPctCount": {
        "name": "cpu_iowait_pct_count",
        "kind": "json"
      },
      "memUsedPctMin": {
        "name": "mem_used_pct_min",
        "kind": "json"
      },
      "memUsedPctAvg": {
        "name": "mem_used_pct_avg",
        "kind": "json"
      },
      "memUsedPctMax": {
        "name": "mem_used_pct_max",
        "kind": "json"
      },
      "memUsedPctCount": {
        "name": "mem_used_pct_count",
        "kind": "json"
      },
      "swapUsedPctMin": {
        "name": "swap_used_pct_min",
        "kind": "json"
      },
      "swapUsedPctAvg": {
        "name": "swap_used_pct_avg",
        "kind": "json"
      },
      "swapUsedPctMax": {
        "name": "swap_used_pct_max",
        "kind": "json"
      },
      "swapUsedPctCount": {
        "name": "swap_used_pct_count",
        "kind": "json"
      },
      "diskUsedPctMin": {
        "name": "disk_used_pct_min",
        "kind": "json"
      },
      "diskUsedPctAvg": {
        "name": "disk_used_pct_avg",
        "kind": "json"
      },
      "diskUsedPctMax": {
        "name": "disk_used_pct_max",
        "kind": "json"
      },
      "diskUsedPctCount": {
        "name": "disk_used_pct_count",
        "kind": "json"
      },
      "netLossPctMin": {
        "name": "net_loss_pct_min",
        "kind": "json"
      },
      "netLossPctAvg": {
        "name": "net_loss_pct_avg",
        "kind": "json"
      },
      "netLossPctMax": {
        "name": "net_loss_pct_max",
        "kind": "json"
      },
      "netLossPctCount": {
        "name": "net_loss_pct_count",
        "kind": "json"
      },
      "netRetransmitPctMin": {
        "name": "net_retransmit_pct_min",
        "kind": "json"
      },
      "netRetransmitPctAvg": {
        "name": "net_retransmit_pct_avg",
        "kind": "json"
      },
      "netRetransmitPctMax": {
        "name": "net_retransmit_pct_max",
        "kind": "json"
      },
      "netRetransmitPctCount": {
        "name": "net_retransmit_pct_count",
        "kind": "json"
      }
    }
  },
  "BenchmarkRun": {
    "name": "benchmark_runs",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "label": {
        "name": "label",
        "kind": "other"
      },
      "status": {
        "name": "status",
        "kind": "other"
      },
      "cpu": {
        "name": "cpu",
        "kind": "json"
      },
      "disk": {
        "name": "disk",
        "kind": "json"
      },
      "network": {
        "name": "network",
        "kind": "json"
      },
      "stability": {
        "name": "stability",
        "kind": "json"
      },
      "total": {
        "name": "total",
        "kind": "json"
      },
      "verified": {
        "name": "verified",
        "kind": "other"
      },
      "log": {
        "name": "log",
        "kind": "other"
      },
      "agentTokenHash": {
        "name": "agent_token_hash",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "finishedAt": {
        "name": "finished_at",
        "kind": "instant"
      }
    }
  },
  "GameService": {
    "name": "game_services",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "status": {
        "name": "status",
        "kind": "other"
      },
      "javaHostname": {
        "name": "java_hostname",
        "kind": "other"
      },
      "originHost": {
        "name": "origin_host",
        "kind": "other"
      },
      "originPort": {
        "name": "origin_port",
        "kind": "json"
      },
      "configVersion": {
        "name": "config_version",
        "kind": "json"
      },
      "error": {
        "name": "error",
        "kind": "other"
      },
      "supportAccess": {
        "name": "support_access",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "updatedAt": {
        "name": "updated_at",
        "kind": "instant"
      },
      "wish": {
        "name": "wish",
        "kind": "other"
      },
      "firstFetchedAt": {
        "name": "first_fetched_at",
        "kind": "instant"
      },
      "formNonce": {
        "name": "form_nonce",
        "kind": "other"
      },
      "sendsRealIps": {
        "name": "sends_real_ips",
        "kind": "other"
      },
      "offlineText": {
        "name": "offline_text",
        "kind": "other"
      }
    }
  },
  "ServiceGrant": {
    "name": "service_grants",
    "columns": {
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      }
    }
  },
  "ServiceShare": {
    "name": "service_shares",
    "columns": {
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "email": {
        "name": "email",
        "kind": "other"
      },
      "typedEmail": {
        "name": "typed_email",
        "kind": "other"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      }
    }
  },
  "HostnameClaim": {
    "name": "hostname_claims",
    "columns": {
      "hostname": {
        "name": "hostname",
        "kind": "other"
      },
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "claimedAt": {
        "name": "claimed_at",
        "kind": "instant"
      },
      "activeAt": {
        "name": "active_at",
        "kind": "instant"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "releasedAt": {
        "name": "released_at",
        "kind": "instant"
      }
    }
  },
  "EdgeNode": {
    "name": "edge_nodes",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "lastHeardAt": {
        "name": "last_heard_at",
        "kind": "instant"
      },
      "lastHeardIp": {
        "name": "last_heard_ip",
        "kind": "other"
      },
      "agent": {
        "name": "agent",
        "kind": "other"
      },
      "isLive": {
        "name": "is_live",
        "kind": "other"
      },
      "unsettledSince": {
        "name": "unsettled_since",
        "kind": "instant"
      }
    }
  },
  "EdgeNodeMinute": {
    "name": "edge_node_minutes",
    "columns": {
      "nodeId": {
        "name": "node_id",
        "kind": "json"
      },
      "ts": {
        "name": "ts",
        "kind": "instant"
      },
      "packets": {
        "name": "packets",
        "kind": "json"
      },
      "bytes": {
        "name": "bytes",
        "kind": "json"
      },
      "dropped": {
        "name": "dropped",
        "kind": "json"
      },
      "connections": {
        "name": "connections",
        "kind": "json"
      },
      "refused": {
        "name": "refused",
        "kind": "json"
      }
    }
  },
  "EdgeNodeKey": {
    "name": "edge_node_keys",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "nodeId": {
        "name": "node_id",
        "kind": "json"
      },
      "keyHash": {
        "name": "key_hash",
        "kind": "other"
      },
      "hint": {
        "name": "hint",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "expiresAt": {
        "name": "expires_at",
        "kind": "instant"
      }
    }
  },
  "EdgeAcknowledgement": {
    "name": "edge_acknowledgements",
    "columns": {
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "nodeId": {
        "name": "node_id",
        "kind": "json"
      },
      "version": {
        "name": "version",
        "kind": "json"
      },
      "error": {
        "name": "error",
        "kind": "other"
      },
      "servingVersion": {
        "name": "serving_version",
        "kind": "json"
      },
      "warning": {
        "name": "warning",
        "kind": "other"
      },
      "acknowledgedAt": {
        "name": "acknowledged_at",
        "kind": "instant"
      }
    }
  },
  "Ticket": {
    "name": "tickets",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "subject": {
        "name": "subject",
        "kind": "other"
      },
      "status": {
        "name": "status",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      }
    }
  },
  "MetricSample": {
    "name": "metric_samples",
    "columns": {
      "serviceId": {
        "name": "service_id",
        "kind": "json"
      },
      "ts": {
        "name": "ts",
        "kind": "instant"
      },
      "nodeId": {
        "name": "node_id",
        "kind": "json"
      },
      "packets": {
        "name": "packets",
        "kind": "json"
      },
      "bytes": {
        "name": "bytes",
        "kind": "json"
      },
      "dropped": {
        "name": "dropped",
        "kind": "json"
      },
      "connections": {
        "name": "connections",
        "kind": "json"
      },
      "latencyMs": {
        "name": "latency_ms",
        "kind": "json"
      },
      "joins": {
        "name": "joins",
        "kind": "json"
      },
      "pings": {
        "name": "pings",
        "kind": "json"
      },
      "answered": {
        "name": "answered",
        "kind": "json"
      },
      "players": {
        "name": "players",
        "kind": "json"
      }
    }
  },
  "Sweep": {
    "name": "sweeps",
    "columns": {
      "name": {
        "name": "name",
        "kind": "other"
      },
      "holder": {
        "name": "holder",
        "kind": "other"
      },
      "leasedUntil": {
        "name": "leased_until",
        "kind": "instant"
      },
      "startedAt": {
        "name": "started_at",
        "kind": "instant"
      },
      "finishedAt": {
        "name": "finished_at",
        "kind": "instant"
      },
      "report": {
        "name": "report",
        "kind": "json"
      }
    }
  },
  "NoticeChannel": {
    "name": "notice_channels",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "kind": {
        "name": "kind",
        "kind": "other"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "sealed": {
        "name": "sealed",
        "kind": "other"
      },
      "host": {
        "name": "host",
        "kind": "other"
      },
      "email": {
        "name": "email",
        "kind": "other"
      },
      "confirmedAt": {
        "name": "confirmed_at",
        "kind": "instant"
      },
      "confirmHash": {
        "name": "confirm_hash",
        "kind": "other"
      },
      "confirmSentAt": {
        "name": "confirm_sent_at",
        "kind": "instant"
      },
      "unsubscribeHash": {
        "name": "unsubscribe_hash",
        "kind": "other"
      },
      "offAt": {
        "name": "off_at",
        "kind": "instant"
      },
      "offReason": {
        "name": "off_reason",
        "kind": "other"
      },
      "failingSince": {
        "name": "failing_since",
        "kind": "instant"
      },
      "formNonce": {
        "name": "form_nonce",
        "kind": "other"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "claim": {
        "name": "claim",
        "kind": "json"
      },
      "leasedUntil": {
        "name": "leased_until",
        "kind": "instant"
      },
      "heldUntil": {
        "name": "held_until",
        "kind": "instant"
      },
      "heldFor": {
        "name": "held_for",
        "kind": "other"
      }
    }
  },
  "NoticeSettings": {
    "name": "notice_settings",
    "columns": {
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "rules": {
        "name": "rules",
        "kind": "json"
      },
      "quietFrom": {
        "name": "quiet_from",
        "kind": "json"
      },
      "quietTo": {
        "name": "quiet_to",
        "kind": "json"
      },
      "quietZone": {
        "name": "quiet_zone",
        "kind": "other"
      }
    }
  },
  "Notice": {
    "name": "notices",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "channelId": {
        "name": "channel_id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "subject": {
        "name": "subject",
        "kind": "other"
      },
      "subjectId": {
        "name": "subject_id",
        "kind": "json"
      },
      "eventId": {
        "name": "event_id",
        "kind": "json"
      },
      "tells": {
        "name": "tells",
        "kind": "other"
      },
      "kind": {
        "name": "kind",
        "kind": "other"
      },
      "name": {
        "name": "name",
        "kind": "other"
      },
      "startedAt": {
        "name": "started_at",
        "kind": "instant"
      },
      "endedAt": {
        "name": "ended_at",
        "kind": "instant"
      },
      "state": {
        "name": "state",
        "kind": "other"
      },
      "dueAt": {
        "name": "due_at",
        "kind": "instant"
      },
      "nextAt": {
        "name": "next_at",
        "kind": "instant"
      },
      "waitsFor": {
        "name": "waits_for",
        "kind": "other"
      },
      "attempts": {
        "name": "attempts",
        "kind": "json"
      },
      "messageId": {
        "name": "message_id",
        "kind": "other"
      },
      "settledAt": {
        "name": "settled_at",
        "kind": "instant"
      },
      "reason": {
        "name": "reason",
        "kind": "other"
      }
    }
  },
  "NoticeMessage": {
    "name": "notice_messages",
    "columns": {
      "id": {
        "name": "id",
        "kind": "other"
      },
      "channelId": {
        "name": "channel_id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "isTest": {
        "name": "is_test",
        "kind": "other"
      },
      "content": {
        "name": "content",
        "kind": "json"
      },
      "state": {
        "name": "state",
        "kind": "other"
      },
      "attempts": {
        "name": "attempts",
        "kind": "json"
      },
      "nextAt": {
        "name": "next_at",
        "kind": "instant"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      },
      "endedAt": {
        "name": "ended_at",
        "kind": "instant"
      },
      "reason": {
        "name": "reason",
        "kind": "other"
      }
    }
  },
  "ServerSnooze": {
    "name": "server_snoozes",
    "columns": {
      "serverId": {
        "name": "server_id",
        "kind": "json"
      },
      "until": {
        "name": "until",
        "kind": "instant"
      },
      "createdAt": {
        "name": "created_at",
        "kind": "instant"
      }
    }
  },
  "NoticeConfirmation": {
    "name": "notice_confirmations",
    "columns": {
      "id": {
        "name": "id",
        "kind": "json"
      },
      "accountId": {
        "name": "account_id",
        "kind": "json"
      },
      "emailHash": {
        "name": "email_hash",
        "kind": "other"
      },
      "sentAt": {
        "name": "sent_at",
        "kind": "instant"
      }
    }
  }
} as const;
