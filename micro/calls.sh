#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unmodified servers on the JDK, on Pollux's selectors, and with the JDK's socket calls replaced: see README.md here.
set -eu
program=calls
main='apps.Main calls'
report=
native=load
. "$(dirname "$0")/common.sh"
class_path=$without_pollux
add_helidon
# Kafka's broker, with what it needs, is fetched for those who ask for it.
case "$*" in
    *kafka*)
        if [ ! -d "$micro/target/kafka/classes" ]; then
            mvn -q -B -f "$micro/kafka/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$micro/target/kafka/lib"
            "$javac" -proc:none -cp "$class_path:$micro/target/kafka/lib/*" -d "$micro/target/kafka/classes" \
                "$micro/kafka/KafkaApplication.java"
        fi
        class_path="$class_path:$micro/target/kafka/classes:$micro/target/kafka/lib/*" ;;
esac
. "$micro/program.sh"
